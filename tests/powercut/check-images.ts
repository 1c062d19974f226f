import { startMachine } from '../boot/machine.ts';
import type { CheckerImage } from './checker-image.ts';
import { doneLine, type Finding, readFindings, serialOfImage } from './finding.ts';

const timeoutMs = 600_000;

/**
 * Attaches the images to one machine, which examines them. Their files do not change.
 *
 * @returns a finding for each, in their order
 * @throws Error with the end of the console when the machine does not finish
 */
export async function checkImages(checker: CheckerImage, paths: readonly string[]): Promise<Finding[]> {
  const moreDisks = Object.fromEntries(paths.map((path, image) => [serialOfImage(image), path]));
  await using machine = await startMachine({
    ...{ disk: checker.disk, moreDisks },
    boot: { kind: 'kernel', commandLine: checker.commandLine },
  });
  await machine.shows(new RegExp(doneLine), timeoutMs);
  const findings = new Map(readFindings(machine.console()).map((finding) => [finding.image, finding]));
  return paths.map((_, image) => {
    const finding = findings.get(image);
    if (finding === undefined) throw new Error(`the checker does not see image ${image}`);
    return finding;
  });
}
