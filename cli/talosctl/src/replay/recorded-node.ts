import { type Event, VersionResponse } from '@nodewright/contract/gen/machine/machine.ts';
import { Fault, kindFromGrpcCode } from '@nodewright/fault';
import { archiveName } from '../support/archive-path.ts';
import { recordedCallsName, recordedFiles } from '../support/recorded-call.ts';
import { jsonLines, textOf } from './json-lines.ts';
import type { NodeFiles } from './read-bundle.ts';
import { readResources } from './read-resources.ts';
import { RecordedState } from './recorded-state.ts';

interface Answer {
  readonly response?: Uint8Array;
  readonly fault?: Fault;
}

const versionMethod = '/machine.MachineService/Version';

/** A node as an archive shows it. */
export class RecordedNode {
  readonly name: string;
  readonly state: RecordedState;
  /** Files of the archive that cannot be read, with the reasons. */
  readonly unreadable: readonly string[];
  /** Its hostname and its addresses, by which a caller may name it as well. */
  readonly otherNames: readonly string[];
  readonly #files: NodeFiles;
  /** By method, then by the request in base64. */
  readonly #answers = new Map<string, Map<string, Answer>>();

  constructor(name: string, files: NodeFiles) {
    this.name = name;
    this.#files = files;
    const { resources, unreadable } = readResources(files);
    this.state = new RecordedState(resources);
    this.unreadable = unreadable;
    this.otherNames = resources.flatMap(({ metadata: { type, id }, spec }) =>
      type.startsWith('HostnameStatuses.') || (type.startsWith('NodeAddresses.') && id === 'current')
        ? namesIn(spec.yaml)
        : [],
    );
    this.#addAnswers();
  }

  /**
   * The recorded response to a request, encoded. A method that was recorded once answers every request so.
   *
   * @throws Fault that the node answered, or `unimplemented` when the archive has no answer
   */
  answer(method: string, request: Uint8Array): Uint8Array {
    const known = this.#answers.get(method);
    const [only] = known?.size === 1 ? known.values() : [];
    const found = known?.get(Buffer.from(request).toString('base64')) ?? only;
    if (found?.fault !== undefined) throw found.fault;
    if (found?.response === undefined) throw notRecorded(method);
    return found.response;
  }

  /** The lines of the log of a service. @throws Fault as a node does for a log that it does not have */
  log(id: string): string[] {
    const name = `${archiveName(id)}.log`;
    const bytes = this.#files.get(`service-logs/${name}`) ?? this.#files.get(name);
    if (bytes === undefined) throw new Fault('unknown', `log "${id}" was not registered`);
    return linesOf(bytes);
  }

  /** The lines of the kernel's log. */
  kernelLog(): string[] {
    const bytes = this.#files.get('dmesg.log');
    if (bytes === undefined) throw notRecorded('/machine.MachineService/Dmesg');
    return linesOf(bytes);
  }

  /** A file of the node, if the archive has it. */
  file(path: string): Uint8Array {
    const name = Object.hasOwn(recordedFiles, path) ? recordedFiles[path] : undefined;
    const bytes = name === undefined ? undefined : this.#files.get(name);
    if (bytes === undefined)
      throw new Fault(
        'unimplemented',
        `this is an archive: it does not have the file ${JSON.stringify(path)}`,
      );
    return bytes;
  }

  /** The events that the node still had, the oldest first. Those from which a secret was removed are left out. */
  events(): Event[] {
    return jsonLines(this.#files.get('events.jsonl')).flatMap(({ id, actorId, data }) => {
      const { typeUrl, value } = (data ?? {}) as { typeUrl?: unknown; value?: unknown };
      if (typeof id !== 'string' || typeof typeUrl !== 'string' || typeof value !== 'string') return [];
      const actor = typeof actorId === 'string' ? actorId : '';
      return [
        { metadata: undefined, id, actorId: actor, data: { typeUrl, value: Buffer.from(value, 'base64') } },
      ];
    });
  }

  #addAnswers(): void {
    for (const { method, request, response, error } of jsonLines(this.#files.get(recordedCallsName))) {
      if (typeof method !== 'string' || typeof request !== 'string') continue;
      const known = this.#answers.get(method) ?? new Map<string, Answer>();
      this.#answers.set(method, known.set(request, answerOf(response, error)));
    }
    if (!this.#answers.has(versionMethod)) this.#answers.set(versionMethod, this.#versionFromSummary());
  }

  /** Archives of upstream have no answers, but many commands begin with the version of the node. */
  #versionFromSummary(): Map<string, Answer> {
    const tag = /^\s*Tag:\s+(\S+)/m.exec(textOf(this.#files.get('summary') ?? new Uint8Array()))?.[1];
    if (tag === undefined) return new Map();
    const response = VersionResponse.encode(
      VersionResponse.fromPartial({ messages: [{ version: { tag } }] }),
    ).finish();
    return new Map([['', { response }]]);
  }
}

export function notRecorded(method: string): Fault {
  return new Fault('unimplemented', `this is an archive: it has no answer to ${method}`);
}

function answerOf(response: unknown, error: unknown): Answer {
  if (typeof response === 'string') return { response: Buffer.from(response, 'base64') };
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  return {
    fault: new Fault(kindFromGrpcCode(Number(code)), typeof message === 'string' ? message : 'no answer'),
  };
}

function linesOf(bytes: Uint8Array): string[] {
  const text = textOf(bytes);
  return text === '' ? [] : text.replace(/\n$/, '').split('\n');
}

/** Hostnames and addresses in the YAML of a resource: words, without the length of a prefix. */
function namesIn(yaml: string): string[] {
  return [...yaml.matchAll(/(?:^hostname: |^ *- )"?([\w.:-]+)(?:\/\d+)?"?$/gm)].map(([, name = '']) => name);
}
