export type * from './daemon-definition.ts';
export { openStandardOutput } from './line-output.ts';
export { parseListenAddress } from './listen-address.ts';
export { type LogFile, openLogFile } from './log-file.ts';
export type { OptionSpec, OptionTable, OptionValues } from './option.ts';
export { parseOptions } from './parse-options.ts';
export { exitCodes, runDaemon } from './run-daemon.ts';
export { collectGently, collectNewObjects } from './trim-heap.ts';
export { watchFile } from './watch-file.ts';
