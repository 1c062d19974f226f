// Methods of grpc.testing.TestService for clients on grpc-js, with messages as bytes. Source: gRPC test service,
// messages.
import { BinaryWriter } from '@bufbuild/protobuf/wire';

const asBytes = (bytes: Buffer) => bytes;
const raw = {
  requestSerialize: asBytes,
  requestDeserialize: asBytes,
  responseSerialize: asBytes,
  responseDeserialize: asBytes,
};

export const rawTestService = {
  unaryCall: {
    path: '/grpc.testing.TestService/UnaryCall',
    requestStream: false,
    responseStream: false,
    ...raw,
  },
  fullDuplexCall: {
    path: '/grpc.testing.TestService/FullDuplexCall',
    requestStream: true,
    responseStream: true,
    ...raw,
  },
} as const;

/** A SimpleRequest with a payload, for an answer with a payload of `answerBytes`; both are zeros. */
export function simpleRequest(answerBytes: number, payloadBytes = 0): Buffer {
  const writer = new BinaryWriter().uint32(tag(2, 0)).int32(answerBytes);
  writer.uint32(tag(3, 2)).fork().uint32(tag(2, 2)).bytes(new Uint8Array(payloadBytes)).join();
  return Buffer.from(writer.finish());
}

/** A SimpleRequest that the server answers with this status. */
export function statusRequest(code: number, message: string): Buffer {
  const writer = new BinaryWriter();
  writer.uint32(tag(7, 2)).fork().uint32(tag(1, 0)).int32(code).uint32(tag(2, 2)).string(message).join();
  return Buffer.from(writer.finish());
}

/** A StreamingOutputCallRequest for one answer with a payload of `answerBytes`. */
export function streamingRequest(answerBytes: number): Buffer {
  const writer = new BinaryWriter();
  writer.uint32(tag(2, 2)).fork().uint32(tag(1, 0)).int32(answerBytes).join();
  return Buffer.from(writer.finish());
}

const tag = (field: number, wireType: number) => (field << 3) | wireType;
