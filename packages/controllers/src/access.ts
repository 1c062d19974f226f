import { Fault } from '@nodewright/fault';
import type { KindRef, Pointer } from '@nodewright/state';
import type { Input, Output } from './controller.ts';
import { inputText } from './declarations.ts';

export interface AccessInit {
  /** The name of the controller. */
  readonly name: string;
  /** The inputs at this moment. */
  readonly inputs: () => readonly Input[];
  readonly outputs: readonly Output[];
}

/**
 * A controller may only access what it has declared; any other access is a Fault `permission-denied`. Source:
 * Talos v1.14: COSI access enforcement.
 */
export class Access {
  readonly #init: AccessInit;
  readonly #outputs: ReadonlySet<string>;

  constructor(init: AccessInit) {
    this.#init = init;
    this.#outputs = new Set(init.outputs.map(({ type }) => type));
  }

  checkGet(pointer: Pointer): void {
    if (!this.#outputs.has(pointer.type) && !this.#hasInput(pointer)) throw this.#refusal('read', pointer);
  }

  checkList(kind: KindRef): void {
    const { namespace, type } = kind;
    // An input with an id does not let its controller see other resources of the kind.
    if (!this.#outputs.has(type) && !this.#hasInput({ namespace, type })) throw this.#refusal('list', kind);
  }

  checkWrite(pointer: KindRef): void {
    if (!this.#outputs.has(pointer.type)) throw this.#refusal('write', pointer);
  }

  checkHold(pointer: Pointer): void {
    if (!this.#hasInput(pointer, 'strong')) throw this.#refusal('hold or release', pointer);
  }

  /** Whether changes of all resources of the kind wake the controller. */
  isTold({ namespace, type }: KindRef): boolean {
    return this.#hasInput({ namespace, type });
  }

  #hasInput({ namespace, type, id }: KindRef & { readonly id?: string }, kind?: Input['kind']): boolean {
    return this.#init
      .inputs()
      .some(
        (input) =>
          input.type === type &&
          input.namespace === namespace &&
          (input.id === undefined || input.id === id) &&
          (kind === undefined || input.kind === kind),
      );
  }

  #refusal(operation: string, target: KindRef & { readonly id?: string }): Fault {
    const missing = {
      read: 'it is neither an input nor an output',
      list: 'it is neither an output nor an input without an id',
      write: 'it is no output',
      'hold or release': 'it is no strong input',
    }[operation];
    return new Fault(
      'permission-denied',
      `controller "${this.#init.name}" may not ${operation} ${inputText(target)}: ${missing}`,
    );
  }
}
