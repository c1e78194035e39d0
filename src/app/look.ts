/// <reference lib="dom" />
import {
  applyDocumentTheme,
  applyHostFonts,
  applyHostStyleVariables,
  type McpUiHostContext,
} from "../../deps/ext_apps.ts";
import { setLocale } from "../page/locale.ts";

/** Has the app look as the chat does, and write numbers as its user does. */
export function follow(
  { theme, styles, locale, safeAreaInsets, displayMode }: McpUiHostContext,
): void {
  if (theme) applyDocumentTheme(theme);
  if (styles?.variables) applyHostStyleVariables(styles.variables);
  if (styles?.css?.fonts) applyHostFonts(styles.css.fonts);
  if (locale !== undefined) setLocale(locale);
  if (displayMode) document.documentElement.dataset.mode = displayMode;
  if (safeAreaInsets) {
    const { top, right, bottom, left } = safeAreaInsets;
    document.body.style.margin = [top, right, bottom, left]
      .map((side) => `${side}px`).join(" ");
  }
}
