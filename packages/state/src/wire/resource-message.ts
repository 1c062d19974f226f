import type { Resource as ResourceMessage } from '@nodewright/contract/gen/cosi/resource/resource.ts';
import { Fault } from '@nodewright/fault';
import type { Phase, Pointer, Resource } from '../resource.ts';
import { encodeYaml } from '../spec/encode-yaml.ts';
import { EncodedSpec } from '../spec/encoded-spec.ts';
import type { SpecCodecs } from '../spec/spec-codec.ts';
import { timestampFromUnixMs, unixMsFromTimestamp } from './timestamp.ts';

/** The version text of a resource without a version. */
const noVersion = 'undefined';

/** Encodes a resource. @throws Fault `internal` when there is no codec for the spec */
export function messageFromResource(
  { metadata, spec }: Resource,
  codecs: SpecCodecs,
): ResourceMessage & { spec: object } {
  const { version, createdMs, updatedMs, finalizers, labels, annotations, ...rest } = metadata;
  return {
    metadata: {
      ...rest,
      version: version === 0 ? noVersion : String(version),
      created: timestampFromUnixMs(createdMs),
      updated: timestampFromUnixMs(updatedMs),
      finalizers: [...finalizers],
      labels: { ...labels },
      annotations: { ...annotations },
    },
    spec: messageFromSpec(metadata.type, spec, codecs),
  };
}

function messageFromSpec(type: string, spec: unknown, codecs: SpecCodecs) {
  if (spec instanceof EncodedSpec) return { yamlSpec: spec.yaml, protoSpec: Buffer.from(spec.proto) };
  const codec = codecs.get(type);
  if (codec === undefined) throw new Fault('internal', `specs of type "${type}" cannot be encoded`);
  return { yamlSpec: encodeYaml(codec.toYaml(spec)), protoSpec: Buffer.from(codec.toProto(spec)) };
}

/** The message for a resource that does not exist. Source: Talos v1.14: COSI watch semantics, tombstone. */
export function tombstoneMessage({ namespace, type, id }: Pointer, nowMs: number): ResourceMessage {
  const time = timestampFromUnixMs(nowMs);
  return {
    metadata: {
      namespace,
      type,
      id,
      version: noVersion,
      owner: '',
      phase: 'running',
      created: time,
      updated: time,
      finalizers: [],
      labels: {},
      annotations: {},
    },
    spec: { yamlSpec: '', protoSpec: Buffer.alloc(0) },
  };
}

export function isTombstone(message: ResourceMessage | undefined): boolean {
  return message?.metadata?.version === noVersion;
}

/**
 * Decodes a resource. A spec of a type without a codec stays encoded.
 *
 * @throws Fault `invalid-argument` when a part is missing or cannot be read
 */
export function resourceFromMessage<S>(
  message: ResourceMessage | undefined,
  codecs: SpecCodecs,
): Resource<S> {
  const { metadata, spec } = message ?? {};
  if (metadata === undefined || spec === undefined) {
    throw new Fault('invalid-argument', 'the resource has no metadata or no spec');
  }
  const { version, created, updated, phase, namespace, type, id, owner, finalizers, labels, annotations } =
    metadata;
  return {
    metadata: {
      namespace,
      type,
      id,
      version: versionFromText(version),
      owner,
      phase: phaseFromText(phase),
      finalizers,
      labels,
      annotations,
      createdMs: unixMsFromTimestamp(created),
      updatedMs: unixMsFromTimestamp(updated),
    },
    spec: specFromMessage(type, spec, codecs) as S,
  };
}

function specFromMessage(
  type: string,
  { yamlSpec, protoSpec }: { yamlSpec: string; protoSpec: Uint8Array },
  codecs: SpecCodecs,
): unknown {
  const codec = codecs.get(type);
  if (codec === undefined) return new EncodedSpec(yamlSpec, protoSpec);
  try {
    return codec.fromProto(protoSpec);
  } catch (error) {
    throw new Fault('invalid-argument', `the spec of type "${type}" cannot be read`, { cause: error });
  }
}

function versionFromText(text: string): number {
  if (text === '' || text === noVersion) return 0;
  if (!/^\d{1,15}$/.test(text)) throw new Fault('invalid-argument', `invalid version "${text}"`);
  return Number(text);
}

/** @throws Fault `invalid-argument` */
export function phaseFromText(text: string): Phase {
  if (text === '' || text === 'running') return 'running';
  if (text === 'tearingDown') return 'tearingDown';
  throw new Fault('invalid-argument', `invalid phase "${text}": it must be running or tearingDown`);
}
