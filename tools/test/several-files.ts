// Runs several test files in one process: `several-files.ts FILE ...`, absolute paths. Most of the time of a small file is spent on
// starting a process and reading modules that the next file reads, too.
import { pathToFileURL } from 'node:url';

// One module imports all of them, so that all tests are declared before the first one runs: otherwise they would be over, for the
// runner, whenever the tests of one file have ended before the next file is read.
const imports = process.argv.slice(2).map((path) => `import ${JSON.stringify(pathToFileURL(path).href)};`);
await import(`data:text/javascript,${encodeURIComponent(imports.join('\n'))}`);
