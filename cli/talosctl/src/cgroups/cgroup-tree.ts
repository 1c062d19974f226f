/** One control group, with the small files that the kernel keeps in it. */
export interface Cgroup {
  /** The last part of its path; `.` for the root. */
  readonly name: string;
  /** Below `/sys/fs/cgroup`; empty for the root. */
  readonly path: string;
  /** Contents by file name. */
  readonly files: Map<string, string>;
  readonly children: Map<string, Cgroup>;
}

const cgroup = (name: string, path: string): Cgroup => ({
  ...{ name, path },
  files: new Map(),
  children: new Map(),
});

/** The tree of control groups, built from files as they come. */
export class CgroupTree {
  readonly root = cgroup('.', '');

  /** @param path of a file, relative to the root, with clean parts */
  addFile(path: readonly string[], content: string): void {
    this.#open(path.slice(0, -1)).files.set(path.at(-1) as string, content);
  }

  addFolder(path: readonly string[]): void {
    this.#open(path);
  }

  #open(path: readonly string[]): Cgroup {
    let at = this.root;
    for (const name of path) {
      let child = at.children.get(name);
      if (child === undefined) {
        child = cgroup(name, at.path === '' ? name : `${at.path}/${name}`);
        at.children.set(name, child);
      }
      at = child;
    }
    return at;
  }
}

/** A line of the tree: the group, the one above it, and the name with the branches drawn in front. */
export interface CgroupLine {
  readonly group: Cgroup;
  readonly parent: Cgroup | undefined;
  readonly label: string;
}

/** All groups, each before what is in it, in the order of names. Source: Talos v1.14: cgroups. */
export function* cgroupLines(
  root: Cgroup,
  nameOf: (group: Cgroup) => string = ({ name }) => name,
): Generator<CgroupLine> {
  yield { group: root, parent: undefined, label: nameOf(root) };
  yield* linesBelow(root, '');

  function* linesBelow(parent: Cgroup, indent: string): Generator<CgroupLine> {
    const children = [...parent.children.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
    for (const [index, group] of children.entries()) {
      const isLast = index === children.length - 1;
      yield { group, parent, label: `${indent}${isLast ? '└──' : '├──'}${nameOf(group)}` };
      yield* linesBelow(group, `${indent}${isLast ? '    ' : '│   '}`);
    }
  }
}
