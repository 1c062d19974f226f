import { readFileSync } from 'node:fs';
import type { Plugin } from 'esbuild';

/** Matches a method of a generated codec that reads or writes protobuf JSON, up to its closing line. */
const jsonMethod = /^ {2}(?:fromJSON|toJSON)\(.*\{\n(?: {4}.*\n|\n)* {2}\},\n/gm;
const jsonCode = /^ {2}(?:fromJSON|toJSON)\(.*\{$/m;

/**
 * Removes the JSON methods from the generated codecs, because esbuild cannot see that they are unused. On a
 * node, only the suite's own contracts are read or written as JSON, so their codecs keep these methods.
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
