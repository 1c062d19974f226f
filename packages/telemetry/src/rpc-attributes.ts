import { Fault, grpcCodeFromKind, grpcStatusText } from '@nodewright/fault';
import type { Attributes } from './span.ts';

/**
 * Attributes of a call's span. The method is `machine.MachineService/Memory`, of the path
 * `/machine.MachineService/Memory`. Source: OpenTelemetry semantic conventions, RPC spans.
 */
export function rpcAttributes(path: string): Attributes {
  return { 'rpc.system.name': 'grpc', 'rpc.method': rpcSpanName(path) };
}

/** `/machine.MachineService/Memory` becomes the span `machine.MachineService/Memory`. */
export function rpcSpanName(path: string): string {
  return path.slice(1);
}

/** The attribute with the outcome of a call: `OK`, `NOT_FOUND`. */
export function rpcStatusAttribute(code: number): Attributes {
  return { 'rpc.status_code': grpcStatusText(code) };
}

/**
 * The attributes of the server that a client calls, of a target of gRPC or `host:port`. A target without a port has
 * only an address, as have unix sockets, of which it is the path.
 * Source: OpenTelemetry semantic conventions, server attributes. Source: gRPC core, name resolution.
 */
export function serverAttributes(target: string): Attributes {
  const [, path] = /^unix:(?:\/\/(?=\/))?(.+)$/.exec(target) ?? [];
  if (path !== undefined) return { 'server.address': path };
  const [, host = ''] = /^(?:(?:dns|ipv4|ipv6):(?:\/\/[^/]*\/)?|https?:\/\/)?(.*)$/s.exec(target) ?? [];
  const [, inBrackets, plain, port] = /^(?:\[([^\]]*)\]|([^:]*))(?::(\d{1,5}))?$/.exec(host) ?? [];
  const address = inBrackets ?? plain ?? host;
  return port === undefined
    ? { 'server.address': address }
    : { 'server.address': address, 'server.port': Number(port) };
}

/**
 * The value of `error.type`: the status that a caller would get for a Fault, the code of an error of the
 * system, otherwise the name of the error's class. Never a message: the value has to be of low cardinality.
 */
export function errorTypeOf(error: unknown): string {
  if (error instanceof Fault) return grpcStatusText(grpcCodeFromKind(error.kind));
  if (!(error instanceof Error)) return '_OTHER';
  const { code } = error as NodeJS.ErrnoException;
  return typeof code === 'string' ? code : error.name;
}
