/** How many files share a process at most. When one of their tests fails, each of them runs again by itself. */
export const mostShared = 16;

/**
 * What may concern other tests of the same process, or needs a process of its own: hooks of the whole file, mocks, the process and its
 * environment, other processes, sockets, folders, and measured time or memory. Suites that several implementations pass have
 * all of that in their own modules, and are long.
 */
const ownPattern =
  /\b(?:before|after|beforeEach|afterEach|mock)\b *[.(]|\bprocess\.|\bnode:(?!assert|test\b|crypto|events|buffer|path|url|util|stream|timers)|\bgc\(|\bbytesPerPass\b|\bspawn|\bmkdtemp|\bsetTimeout\b|\bperformance\.|\bconformance\b/;

/** Whether a test file with this text can run in one process with others. */
export const canShareProcess = (text: string): boolean => !ownPattern.test(text);

/** Which files run together: neighbours that can, so the order stays nearly the same. */
export function planProcesses(files: readonly string[], canShare: (file: string) => boolean): string[][] {
  const plan: string[][] = [];
  let shared: string[] = [];
  for (const file of files) {
    if (!canShare(file)) plan.push([file]);
    else {
      if (shared.length === 0) plan.push(shared);
      shared.push(file);
      if (shared.length === mostShared) shared = [];
    }
  }
  return plan;
}
