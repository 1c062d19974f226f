import { Fault } from '@nodewright/fault';
import { textFromBytes } from './byte-text.ts';

/** Limits the message of a status, because it is sent in a trailer, which must be small. */
const maxProblems = 20;
const maxProblemCharacters = 300;

/** The files that were not copied completely, as many as fit into a status. */
export class CopyProblems {
  readonly #lines: string[] = [];
  #count = 0;

  /** @param path as a byte string */
  add(path: string, fault: Fault): void {
    this.#count += 1;
    if (this.#lines.length === maxProblems) return;
    const line = `skipping ${JSON.stringify(textFromBytes(path))}: ${fault.message}`;
    this.#lines.push(line.length > maxProblemCharacters ? `${line.slice(0, maxProblemCharacters)}...` : line);
  }

  /** The fault with which the call ends; `undefined` when everything was copied. Source: Talos v1.14: Copy. */
  fault(): Fault | undefined {
    if (this.#count === 0) return undefined;
    const more = this.#count - this.#lines.length;
    return new Fault('unknown', [...this.#lines, ...(more > 0 ? [`and ${more} more`] : [])].join('\n'));
  }
}
