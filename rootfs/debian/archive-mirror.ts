import { type DebianArchiveName, debianArchives, debianMirror } from '@nodewright/build/debian';

/** The mirror of an archive: the one of the environment, the one that the machine's apt uses, or the public one. */
export function archiveMirror(
  archive: DebianArchiveName,
  environment: NodeJS.ProcessEnv = process.env,
): string {
  const { variable, publicMirror } = debianArchives[archive];
  const named = environment[variable];
  if (named !== undefined) return named.replace(/\/$/, '');
  try {
    return debianMirror(archive);
  } catch {
    return publicMirror;
  }
}
