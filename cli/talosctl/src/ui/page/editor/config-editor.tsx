import {
  autocompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
  completionKeymap,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { yaml } from '@codemirror/lang-yaml';
import { indentService, indentUnit, syntaxHighlighting } from '@codemirror/language';
import { lintGutter, setDiagnostics } from '@codemirror/lint';
import { EditorState } from '@codemirror/state';
import { drawSelection, EditorView, keymap, lineNumbers } from '@codemirror/view';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { Finding } from '../../protocol/calls.ts';
import { candidatesAt, type SchemaTree } from './candidates.ts';
import { colours, look } from './editor-look.ts';
import { yamlPlace } from './yaml-place.ts';

/** As configurations are encoded. */
const unit = '    ';

/** A new line after a key without a value begins the map of the key. */
const belowKey = indentService.of((context, position) => {
  const { text } = context.lineAt(position, -1);
  const column = /^ *(?:- +)*/.exec(text)?.[0].length ?? 0;
  return /:\s*$/.test(text) ? column + unit.length : column;
});

interface ConfigEditorProps {
  readonly label: string;
  /** What the editor has. A text that it has not reported itself replaces its own, and cannot be undone. */
  readonly text: string;
  /** Reads the schema, for completion. */
  readonly readSchema: () => Promise<SchemaTree>;
  readonly findings: readonly Finding[];
  readonly onText: (text: string) => void;
}

/** An editor of YAML with completion. The Tab key leaves it, as it leaves every other field. */
export function ConfigEditor({ label, text, readSchema, findings, onText }: ConfigEditorProps) {
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | undefined>(undefined);
  // What the editor calls is what was given last.
  const given = useRef({ readSchema, onText });
  given.current = { readSchema, onText };
  const stateOf = (doc: string, cursor: Cursor = { line: 1, column: 0 }) => {
    const extensions = [
      ...[lineNumbers(), history(), drawSelection(), yaml(), indentUnit.of(unit), belowKey, lintGutter()],
      ...[syntaxHighlighting(colours), look],
      autocompletion({ override: [(context) => complete(context, given.current.readSchema)], icons: false }),
      keymap.of([...completionKeymap, ...defaultKeymap, ...historyKeymap]),
      EditorView.contentAttributes.of({ 'aria-label': label, spellcheck: 'false', tabindex: '0' }),
      EditorView.updateListener.of(({ docChanged, state }) => {
        if (docChanged) given.current.onText(state.doc.toString());
      }),
    ];
    return withCursor(EditorState.create({ doc, extensions }), cursor);
  };
  // Before the next key: what a user types belongs to the text that the page knows.
  useLayoutEffect(() => {
    const host = place.current;
    if (host === null) return;
    // In a shadow tree the editor adds its styles without an element, which the content security policy forbids.
    const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' });
    const editor = new EditorView({
      ...{ parent: root, root },
      state: stateOf(text),
    });
    view.current = editor;
    return () => editor.destroy();
  }, [label]);
  useLayoutEffect(() => {
    const editor = view.current;
    if (editor === undefined || editor.state.doc.toString() === text) return;
    const { doc, selection } = editor.state;
    const { number, from } = doc.lineAt(selection.main.head);
    editor.setState(stateOf(text, { line: number, column: selection.main.head - from }));
  }, [text]);
  useEffect(() => {
    const editor = view.current;
    if (editor !== undefined) editor.dispatch(setDiagnostics(editor.state, diagnosticsOf(editor, findings)));
  }, [findings, text, label]);
  return <div ref={place} class="config-editor" />;
}

interface Cursor {
  /** Counted from 1. */
  readonly line: number;
  readonly column: number;
}

/** The cursor is at the same line and column, as far as the text has them. */
function withCursor(state: EditorState, { line, column }: Cursor): EditorState {
  const { from, to } = state.doc.line(Math.min(line, state.doc.lines));
  return state.update({ selection: { anchor: Math.min(from + column, to) } }).state;
}

async function complete(
  context: CompletionContext,
  readSchema: () => Promise<SchemaTree>,
): Promise<CompletionResult | null> {
  const place = yamlPlace(context.state.doc.toString(), context.pos);
  if (place === undefined || (!context.explicit && place.from === context.pos)) return null;
  // Without the schema the editor works, and completes nothing.
  const schema = await readSchema().catch(() => undefined);
  if (schema === undefined) return null;
  const options = candidatesAt(schema, place).map(
    ({ label, text, detail, help }): Completion => ({
      ...{ label, apply: text },
      ...(detail !== undefined && { detail }),
      ...(help && { info: help }),
    }),
  );
  return options.length === 0 ? null : { from: place.from, options, validFor: /^[\w.$/-]*$/ };
}

function diagnosticsOf({ state: { doc } }: EditorView, findings: readonly Finding[]) {
  return findings.flatMap(({ message, line, column = 1 }) => {
    if (line === undefined || line > doc.lines) return [];
    const { from, to } = doc.line(line);
    return [{ from: Math.min(from + column - 1, to), to, message, severity: 'error' as const }];
  });
}
