import type { EventEmitter } from 'node:events';
import { EventEmitter as Emitter } from 'node:events';
import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import type { MethodDefinition, ServiceDefinition, UntypedServiceImplementation } from '@grpc/grpc-js';
import type { PackageDefinition } from '@grpc/proto-loader';
import type { CallContext } from 'nice-grpc';
import type { RpcService } from './rpc-service.ts';
import { undecodableFault } from './tolerant-decoding.ts';

/** The service that @grpc/reflection registers, in the form of grpc-js. */
interface CapturedService {
  readonly method: MethodDefinition<object, object>;
  readonly handle: (stream: EventEmitter) => void;
}

/** The files of a FileDescriptorSet, each as its encoded FileDescriptorProto. */
function splitDescriptorSet(descriptorSet: Uint8Array): Buffer[] {
  const reader = new BinaryReader(descriptorSet);
  const files: Buffer[] = [];
  while (reader.pos < reader.len) {
    const [field, wireType] = reader.tag();
    if (field === 1 && wireType === WireType.LengthDelimited) files.push(Buffer.from(reader.bytes()));
    else reader.skip(wireType, field);
  }
  return files;
}

/** Both published versions of the service, as the library implements them. */
async function loadReflection(services: readonly string[]): Promise<Map<string, CapturedService>> {
  const [{ ReflectionService }, { descriptorSet }] = await Promise.all([
    import('@grpc/reflection'),
    import('@nodewright/contract/gen/descriptors.ts'),
  ]);
  const fileDescriptorProtos = splitDescriptorSet(descriptorSet());
  const packageDefinition = { files: { fileDescriptorProtos } } as unknown as PackageDefinition;
  const captured = new Map<string, CapturedService>();
  new ReflectionService(packageDefinition, { services: [...services] }).addToServer({
    addService(definition: ServiceDefinition, implementation: UntypedServiceImplementation) {
      const method = definition.ServerReflectionInfo as MethodDefinition<object, object>;
      const handle = implementation.ServerReflectionInfo as unknown as CapturedService['handle'];
      captured.set(method.path, { method, handle });
    },
  });
  return captured;
}

/** Answers one request through the library's stream handler. */
function answer({ method, handle }: CapturedService, request: Buffer): Buffer[] {
  const replies: Buffer[] = [];
  const stream = Object.assign(new Emitter(), {
    write: (reply: object) => replies.push(method.responseSerialize(reply)),
    end: () => {},
  });
  handle(stream);
  stream.emit('data', decode(method, request));
  return replies;
}

function decode({ path, requestDeserialize }: CapturedService['method'], request: Buffer): object {
  try {
    return requestDeserialize(request);
  } catch (error) {
    throw undecodableFault(path, error instanceof Error ? error.message : String(error));
  }
}

const identity = (bytes: Uint8Array) => Buffer.from(bytes);

/**
 * The gRPC reflection service, versions v1 and v1alpha, for the named services. The library registers itself
 * only with grpc-js, not with nice-grpc, so its handlers run over raw bytes here. The library is loaded at
 * the first request: it brings a whole protobuf runtime, and most daemons never use it.
 */
export function createReflectionServices(services: readonly string[]): RpcService[] {
  let loading: Promise<Map<string, CapturedService>> | undefined;
  return ['grpc.reflection.v1', 'grpc.reflection.v1alpha'].map((packageName) => {
    const path = `/${packageName}.ServerReflection/ServerReflectionInfo`;
    const definition = {
      serverReflectionInfo: {
        path,
        requestStream: true,
        responseStream: true,
        requestSerialize: identity,
        requestDeserialize: identity,
        responseSerialize: identity,
        responseDeserialize: identity,
        options: {},
      },
    } as const;
    const implementation = {
      async *serverReflectionInfo(requests: AsyncIterable<Buffer>, _context: CallContext) {
        loading ??= loadReflection(services);
        const service = (await loading).get(path);
        if (service === undefined) return;
        for await (const request of requests) yield* answer(service, request);
      },
    };
    return { definition, implementation };
  });
}
