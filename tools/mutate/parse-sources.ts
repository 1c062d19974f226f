// Syntax trees by the compiler that the project has. Nothing is resolved or checked, so a file takes milliseconds.
import type { SourceFile } from 'typescript/unstable/ast';
import { createVirtualFileSystem } from 'typescript/unstable/fs';
import { API } from 'typescript/unstable/sync';

export interface ParsedSources extends Disposable {
  /** The tree of a file. Its nodes are valid until this is disposed of. Throws for a file that was not given. */
  treeOf(path: string): SourceFile;
}

const root = '/sources';

/** @param texts by path */
export function parseSources(texts: ReadonlyMap<string, string>): ParsedSources {
  const compilerOptions = {
    ...{ noLib: true, noResolve: true, types: [], allowImportingTsExtensions: true, noEmit: true },
    jsx: 'preserve',
  };
  const files = [...texts.keys()];
  const fs = createVirtualFileSystem({
    [`${root}/tsconfig.json`]: JSON.stringify({ compilerOptions, files }),
    ...Object.fromEntries([...texts].map(([path, text]) => [`${root}/${path}`, text])),
  });
  const api = new API({ cwd: root, fs });
  const snapshot = api.updateSnapshot({ openProjects: [`${root}/tsconfig.json`] });
  const project = snapshot.getProject(`${root}/tsconfig.json`);
  return {
    treeOf(path) {
      const tree = project?.program.getSourceFile(`${root}/${path}`);
      if (tree === undefined) throw new Error(`${path} was not parsed`);
      return tree;
    },
    [Symbol.dispose]: () => api.close(),
  };
}
