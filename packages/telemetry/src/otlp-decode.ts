import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';

/** A span as it was sent over the wire. */
export interface ReceivedSpan {
  /** `service.name` of the process that sent it. */
  readonly service: string;
  readonly name: string;
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits. */
  readonly spanId: string;
  /** Empty for a root. */
  readonly parentSpanId: string;
  readonly kind: 'unspecified' | 'internal' | 'server' | 'client' | 'producer' | 'consumer';
  readonly attributes: Readonly<Record<string, string | number | boolean>>;
  readonly failed: boolean;
  /** What failed; usually empty. */
  readonly message: string;
  /** Nanoseconds since 1970. */
  readonly startNs: bigint;
  readonly endNs: bigint;
}

const kinds = ['unspecified', 'internal', 'server', 'client', 'producer', 'consumer'] as const;
const statusError = 2;

type Fields = (field: number, wireType: WireType, reader: BinaryReader) => boolean;

/** Reads a message field by field; `take` says whether it consumed the field. */
function readMessage(bytes: Uint8Array, take: Fields): void {
  const reader = new BinaryReader(bytes);
  while (reader.pos < reader.len) {
    const [field, wireType] = reader.tag();
    if (!take(field, wireType, reader)) reader.skip(wireType, field);
  }
}

function readAnyValue(bytes: Uint8Array): string | number | boolean {
  let value: string | number | boolean = '';
  readMessage(bytes, (field, _wireType, reader) => {
    if (field === 1) value = reader.string();
    else if (field === 2) value = reader.bool();
    else if (field === 3) value = Number(reader.int64());
    else if (field === 4) value = reader.double();
    else return false;
    return true;
  });
  return value;
}

function readKeyValue(bytes: Uint8Array, into: Record<string, string | number | boolean>): void {
  let key = '';
  let value: string | number | boolean = '';
  readMessage(bytes, (field, _wireType, reader) => {
    if (field === 1) key = reader.string();
    else if (field === 2) value = readAnyValue(reader.bytes());
    else return false;
    return true;
  });
  into[key] = value;
}

function readSpan(bytes: Uint8Array, service: string): ReceivedSpan {
  const attributes: Record<string, string | number | boolean> = {};
  const span = {
    service,
    name: '',
    traceId: '',
    spanId: '',
    parentSpanId: '',
    kind: kinds[0] as ReceivedSpan['kind'],
    attributes,
    failed: false,
    message: '',
    startNs: 0n,
    endNs: 0n,
  };
  const hex = (reader: BinaryReader) => Buffer.from(reader.bytes()).toString('hex');
  readMessage(bytes, (field, _wireType, reader) => {
    if (field === 1) span.traceId = hex(reader);
    else if (field === 2) span.spanId = hex(reader);
    else if (field === 4) span.parentSpanId = hex(reader);
    else if (field === 5) span.name = reader.string();
    else if (field === 6) span.kind = kinds[reader.int32()] ?? 'unspecified';
    else if (field === 9) readKeyValue(reader.bytes(), attributes);
    else if (field === 7) span.startNs = BigInt(reader.fixed64());
    else if (field === 8) span.endNs = BigInt(reader.fixed64());
    else if (field === 15) Object.assign(span, readStatus(reader.bytes()));
    else return false;
    return true;
  });
  return span;
}

function readStatus(bytes: Uint8Array): Pick<ReceivedSpan, 'failed' | 'message'> {
  const status = { failed: false, message: '' };
  readMessage(bytes, (field, _wireType, reader) => {
    if (field === 2) status.message = reader.string();
    else if (field === 3) status.failed = reader.int32() === statusError;
    else return false;
    return true;
  });
  return status;
}

function collect(bytes: Uint8Array, wanted: number): Uint8Array[] {
  const found: Uint8Array[] = [];
  readMessage(bytes, (field, wireType, reader) => {
    if (field !== wanted || wireType !== WireType.LengthDelimited) return false;
    found.push(reader.bytes());
    return true;
  });
  return found;
}

/** The spans of an OTLP export request in protobuf form. Source: OpenTelemetry protocol, trace service. */
export function decodeOtlpSpans(request: Uint8Array): ReceivedSpan[] {
  return collect(request, 1).flatMap((resourceSpans) => {
    const attributes: Record<string, string | number | boolean> = {};
    for (const resource of collect(resourceSpans, 1)) {
      for (const keyValue of collect(resource, 1)) readKeyValue(keyValue, attributes);
    }
    const service = String(attributes['service.name'] ?? '');
    return collect(resourceSpans, 2).flatMap((scopeSpans) =>
      collect(scopeSpans, 2).map((span) => readSpan(span, service)),
    );
  });
}
