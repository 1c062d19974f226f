export * from './certificate-end.ts';
export * from './current-context.ts';
export * from './locate-talosconfig.ts';
export * from './merge-talosconfig.ts';
export * from './parse-talosconfig.ts';
export * from './print-talosconfig.ts';
export * from './talosconfig.ts';
export * from './talosconfig-file.ts';
