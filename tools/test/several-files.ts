// Runs several test files in one process: `several-files.ts FILE ...`, absolute paths. Most of the time of a small file is spent on
// starting a process and reading modules that the next file reads, too.
import { pathToFileURL } from 'node:url';

for (const path of process.argv.slice(2)) await import(pathToFileURL(path).href);
