import type { Attributes } from '@nodewright/telemetry';

/** Attributes of a call's span. Source: OpenTelemetry semantic conventions, RPC spans. */
export function rpcAttributes(fullMethod: string): Attributes {
  const [, service = '', method = ''] = fullMethod.split('/');
  return { 'rpc.system': 'grpc', 'rpc.service': service, 'rpc.method': method };
}

/** `/machine.MachineService/Memory` becomes the span `machine.MachineService/Memory`. */
export function rpcSpanName(fullMethod: string): string {
  return fullMethod.slice(1);
}

/** The attribute that carries the outcome. */
export function rpcStatusAttribute(code: number): Attributes {
  return { 'rpc.grpc.status_code': code };
}
