import { Fault } from '@nodewright/fault';
import { textFromBytes } from './byte-text.ts';

/** The message of a status travels in a trailer, which is small. */
const maxProblems = 20;
const maxProblemCharacters = 300;

/** What was not copied as it should be: as much of it as a status can say. */
export class CopyProblems {
  readonly #lines: string[] = [];
  #count = 0;

  /** @param path as bytes */
  add(path: string, fault: Fault): void {
    this.#count += 1;
    if (this.#lines.length === maxProblems) return;
    const line = `skipping ${JSON.stringify(textFromBytes(path))}: ${fault.message}`;
    this.#lines.push(line.length > maxProblemCharacters ? `${line.slice(0, maxProblemCharacters)}...` : line);
  }

  /** What the call ends with; undefined when everything was copied. Source: Talos v1.14: Copy. */
  fault(): Fault | undefined {
    if (this.#count === 0) return undefined;
    const more = this.#count - this.#lines.length;
    return new Fault('unknown', [...this.#lines, ...(more > 0 ? [`and ${more} more`] : [])].join('\n'));
  }
}
