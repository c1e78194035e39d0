/// <reference lib="dom" />
import {
  acceptCompletion,
  autocompletion,
  bracketMatching,
  classHighlighter,
  closeBrackets,
  closeBracketsKeymap,
  defaultKeymap,
  drawSelection,
  EditorState,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  history,
  historyKeymap,
  indentLess,
  indentMore,
  indentOnInput,
  indentUnit,
  keymap,
  lineNumbers,
  python,
  pythonLanguage,
  syntaxHighlighting,
} from "../../deps/codemirror.ts";
import { completeWord, type SessionName, toSource } from "./completions.ts";

/** An editor of Python. */
export function openEditor(
  place: HTMLElement,
  { text, run, leave, onChange, names }: {
    text: string;
    run(): void;
    /** Where the focus goes with Escape, as Tab indents. */
    leave(): void;
    onChange(text: string): void;
    /** Names of the session; those of Python and of the code are known. */
    names(): readonly SessionName[];
  },
) {
  const act = (action: () => void) => () => {
    action();
    return true;
  };
  // In a shadow root, CodeMirror adopts style sheets, and needs no `<style>`,
  // which the page's policy refuses.
  const root = place.attachShadow({ mode: "open" });
  const view = new EditorView({
    parent: root,
    root,
    state: EditorState.create({
      doc: text,
      extensions: [
        keymap.of([
          { key: "Mod-Enter", run: act(run) },
          { key: "Shift-Enter", run: act(run) },
          { key: "Tab", run: acceptCompletion },
          { key: "Tab", run: completeWord, shift: indentLess },
          { key: "Tab", run: indentMore },
        ]),
        // Its keys come before those below, and Escape closes it first.
        autocompletion({ activateOnTyping: false, interactionDelay: 0 }),
        pythonLanguage.data.of({ autocomplete: toSource(names) }),
        keymap.of([
          { key: "Escape", run: act(leave) },
          ...closeBracketsKeymap,
          ...defaultKeymap,
          ...historyKeymap,
        ]),
        ...[lineNumbers(), highlightActiveLine(), highlightActiveLineGutter()],
        ...[history(), drawSelection(), indentOnInput(), indentUnit.of("    ")],
        ...[bracketMatching(), closeBrackets(), python()],
        syntaxHighlighting(classHighlighter),
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({ "aria-label": "Python code" }),
        EditorView.updateListener.of(({ docChanged, state }) => {
          if (docChanged) onChange(state.doc.toString());
        }),
        LOOK,
      ],
    }),
  });
  return {
    get text() {
      return view.state.doc.toString();
    },
    set text(insert: string) {
      view.dispatch({
        changes: { from: 0, to: view.state.doc.length, insert },
        selection: { anchor: 0 },
      });
    },
    /** Moves the cursor to a line, the first is 1. */
    goTo(number: number) {
      const { doc } = view.state;
      if (number < 1 || number > doc.lines) return;
      const { from, to } = doc.line(number);
      view.dispatch({
        selection: { anchor: from, head: to },
        scrollIntoView: true,
      });
      view.focus();
    },
    focus: () => view.focus(),
  };
}

/** The page's colours, which custom properties bring into the shadow root. */
const LOOK = EditorView.theme({
  "&": { height: "100%", fontSize: "var(--code-size)", color: "var(--ink)" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.6" },
  ".cm-content": { padding: "12px 0", caretColor: "var(--ink)" },
  ".cm-line": { padding: "0 16px 0 6px" },
  ".cm-gutters": {
    background: "transparent",
    border: "none",
    color: "var(--quiet)",
  },
  ".cm-lineNumbers .cm-gutterElement": { padding: "0 8px 0 14px" },
  ".cm-activeLine, .cm-activeLineGutter": { background: "var(--line)" },
  "&.cm-focused .cm-selectionBackground, .cm-selectionBackground": {
    background: "var(--selected) !important",
  },
  ".cm-cursor": { borderLeftColor: "var(--ink)", borderLeftWidth: "2px" },
  "&.cm-focused .cm-matchingBracket": { background: "var(--selected)" },
  ".cm-tooltip": {
    border: "1px solid var(--edge)",
    borderRadius: "7px",
    background: "var(--card)",
    color: "var(--ink)",
  },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li": { padding: "2px 10px" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul": { fontFamily: "var(--mono)" },
  ".cm-tooltip-autocomplete ul li[aria-selected]": {
    background: "var(--selected)",
    color: "var(--ink)",
  },
  ".cm-completionDetail": { color: "var(--quiet)", fontStyle: "normal" },
  ".tok-keyword, .tok-operatorKeyword": { color: "var(--code-keyword)" },
  ".tok-string, .tok-string2": { color: "var(--good)" },
  ".tok-number, .tok-bool, .tok-atom": { color: "var(--warned)" },
  ".tok-comment": { color: "var(--quiet)", fontStyle: "italic" },
  ".tok-definition, .tok-className": { color: "var(--accent)" },
});
