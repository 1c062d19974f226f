import { readFileSync } from 'node:fs';
import type { Plugin } from 'esbuild';

/** A method of a generated codec that reads or writes protobuf JSON, to the line that ends it. */
const jsonMethod = /^ {2}(?:fromJSON|toJSON)\(.*\{\n(?: {4}.*\n|\n)* {2}\},\n/gm;
const jsonCode = /^ {2}(?:fromJSON|toJSON)\(.*\{$/m;

/**
 * Leaves the JSON form out of the generated codecs: esbuild cannot tell that nobody calls a method. On a node only the
 * files of the suite's own contracts are JSON, and theirs stay.
 */
export const binaryCodecs: Plugin = {
  name: 'binary-codecs',
  setup(setup) {
    setup.onLoad({ filter: /\/contract\/src\/gen\/.*\.ts$/ }, ({ path }) => {
      if (path.includes('/gen/suite/')) return undefined;
      const contents = withoutJson(readFileSync(path, 'utf8'));
      if (jsonCode.test(contents)) throw new Error(`${path} no longer has the form that this build expects`);
      return { contents, loader: 'ts' };
    });
  },
};

export function withoutJson(source: string): string {
  return source.replaceAll(jsonMethod, '');
}
