import { HighlightStyle } from '@codemirror/language';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';

/** The colours of the page, which follow its scheme. */
export const look = EditorView.theme({
  '&': { color: 'var(--text)', backgroundColor: 'var(--panel)', height: '100%', fontSize: '12.5px' },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '-1px' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.5' },
  '.cm-content': { caretColor: 'var(--text)', padding: '8px 0' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '.cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground': {
    background: 'color-mix(in srgb, var(--accent) 28%, transparent)',
  },
  '.cm-gutters': {
    color: 'var(--soft)',
    backgroundColor: 'var(--raised)',
    borderRight: '1px solid var(--line)',
  },
  '.cm-tooltip': {
    color: 'var(--text)',
    backgroundColor: 'var(--panel)',
    border: '1px solid var(--line)',
    borderRadius: '6px',
    maxWidth: '30em',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--mono)', maxHeight: '16em' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: '2px 8px' },
  '.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    color: 'var(--text)',
    background: 'color-mix(in srgb, var(--accent) 25%, var(--panel))',
  },
  '.cm-completionDetail': { color: 'var(--soft)', fontStyle: 'normal' },
  '.cm-completionInfo': { padding: '6px 10px', fontFamily: 'system-ui, sans-serif' },
  // The marker of the library is a picture in the style sheet, which the content security policy forbids.
  '.cm-lint-marker-error': { content: '"✕"', color: 'var(--bad)', fontWeight: '700' },
  '.cm-diagnostic-error': { borderLeftColor: 'var(--bad)' },
  '.cm-lintRange-error': { backgroundImage: 'none', borderBottom: '2px dotted var(--bad)' },
});

export const colours = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: 'var(--link)' },
  { tag: [tags.comment, tags.meta], color: 'var(--soft)' },
  { tag: [tags.separator, tags.punctuation], color: 'var(--soft)' },
  { tag: tags.string, color: 'var(--good)' },
  { tag: tags.keyword, color: 'var(--series-2)' },
]);
