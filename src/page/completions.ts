/// <reference lib="dom" />
import {
  type CompletionSource,
  type EditorView,
  startCompletion,
} from "../../deps/codemirror.ts";

/** A name of a session, and the type of its value. */
export interface SessionName {
  name: string;
  type: string;
}

/** Those for which the editor has no template. */
const KEYWORDS = [
  ...["and", "as", "assert", "async", "await", "break", "continue", "del"],
  ...["elif", "else", "except", "finally", "from", "global", "in", "is"],
  ...["lambda", "nonlocal", "not", "or", "pass", "raise", "return", "with"],
  ...["yield", "display"],
];

/** Offers names after a letter; else Tab indents. */
export function completeWord(view: EditorView): boolean {
  const { main } = view.state.selection;
  if (!main.empty) return false;
  const before = view.state.sliceDoc(Math.max(0, main.from - 1), main.from);
  return /[\p{L}\p{N}_]/u.test(before) && startCompletion(view);
}

/**
 * Offers names of the session, beside those of the code and of Python's builtins;
 * none of attributes, as asking for these runs code.
 */
export function toSource(
  names: () => readonly SessionName[],
): CompletionSource {
  return (context) => {
    const word = context.matchBefore(
      /(?<![\p{L}\p{N}_.])[\p{L}_][\p{L}\p{N}_]*/u,
    );
    if (!word) return null;
    const options = [
      ...names().map(({ name, type }) => ({
        ...{ label: name, detail: type, boost: 1 },
        type: type === "module" ? "namespace" : "variable",
      })),
      ...KEYWORDS.map((label) => ({ label, type: "keyword" })),
    ];
    return { from: word.from, options, validFor: /^[\p{L}\p{N}_]*$/u };
  };
}
