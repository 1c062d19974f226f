// Rules for the inputs and outputs of controllers. Source: Talos v1.14: COSI controller declarations.
import { Fault } from '@nodewright/fault';
import type { Controller, Input, Output } from './controller.ts';

/** `Type(namespace)` or `Type(namespace/id)`, as messages name an input. */
export function inputText({ namespace, type, id }: Pick<Input, 'namespace' | 'type' | 'id'>): string {
  return `${type}(${id === undefined ? namespace : `${namespace}/${id}`})`;
}

/** @throws Fault `invalid-argument` when an input is listed twice, whatever its kind */
export function checkInputs(name: string, inputs: readonly Input[]): void {
  const seen = new Set<string>();
  for (const input of inputs) {
    const key = JSON.stringify([input.namespace, input.type, input.id]);
    if (seen.has(key)) throw refusal(`controller "${name}" has the input ${inputText(input)} twice`);
    seen.add(key);
  }
}

/**
 * Checks that a controller can be registered next to the existing ones.
 *
 * @throws Fault `invalid-argument` that names both controllers
 */
export function checkDeclarations(controller: Controller, registered: Iterable<Controller>): void {
  const { name, inputs, outputs } = controller;
  checkInputs(name, inputs);
  const own = new Set<string>();
  for (const { type } of outputs) {
    if (own.has(type)) throw refusal(`controller "${name}" has the output ${type} twice`);
    own.add(type);
  }
  for (const other of registered) {
    if (other.name === name) throw refusal(`controller "${name}" is registered already`);
    for (const output of outputs) checkOutput(name, output, other);
  }
}

function checkOutput(name: string, { type, kind }: Output, other: Controller): void {
  const theirs = other.outputs.find((output) => output.type === type);
  if (theirs === undefined || (kind === 'shared' && theirs.kind === 'shared')) return;
  throw refusal(
    `controller "${name}" cannot have the output ${type} (${kind}): controller "${other.name}" has it (${theirs.kind})`,
  );
}

const refusal = (message: string) => new Fault('invalid-argument', message);
