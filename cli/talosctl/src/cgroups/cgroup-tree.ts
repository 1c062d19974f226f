/** One control group with its interface files. */
export interface Cgroup {
  /** The last part of the path; `.` for the root. */
  readonly name: string;
  /** The path relative to `/sys/fs/cgroup`; empty for the root. */
  readonly path: string;
  /** File contents by file name. */
  readonly files: Map<string, string>;
  readonly children: Map<string, Cgroup>;
}

const cgroup = (name: string, path: string): Cgroup => ({
  ...{ name, path },
  files: new Map(),
  children: new Map(),
});

/** A tree of control groups, built from files in any order. */
export class CgroupTree {
  readonly root = cgroup('.', '');

  /** @param path the parts of a path relative to the root, without `.` or `..` */
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

/** A line of the printed tree: a group, its parent, and its name after the drawn branches. */
export interface CgroupLine {
  readonly group: Cgroup;
  readonly parent: Cgroup | undefined;
  readonly label: string;
}

/** All groups sorted by name, each before its children. Source: Talos v1.14: cgroups. */
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
