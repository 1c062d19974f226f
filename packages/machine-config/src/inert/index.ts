// What nodes do not act on. Daemons load it only for a call that changes the configuration: the table costs memory.
export { type InertDocument, inertFields } from './inert-fields.ts';
export { type InertNotesInit, inertNotes } from './inert-notes.ts';
export type { InertRow, InertTable } from './inert-row.ts';
export { inertTable } from './inert-table.ts';
