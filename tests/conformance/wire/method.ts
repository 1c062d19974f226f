import type { TsProtoServiceDefinition } from 'nice-grpc';

/** One RPC with the codecs of its messages. */
export interface Method<Request, Response> {
  /** `/package.Service/Method` */
  readonly path: string;
  encode(request: Request): Uint8Array;
  decode(bytes: Uint8Array): Response;
}

type RequestOf<M> = M extends { requestType: { fromPartial(object: infer Request): unknown } }
  ? Request
  : never;
type ResponseOf<M> = M extends { responseType: { decode(bytes: Uint8Array): infer Response } }
  ? Response
  : never;

export type MethodsOf<Service extends TsProtoServiceDefinition> = {
  readonly [Key in keyof Service['methods']]: Method<
    RequestOf<Service['methods'][Key]>,
    ResponseOf<Service['methods'][Key]>
  >;
};

/** The RPCs of a service by their keys in its definition. */
export function methodsOf<Service extends TsProtoServiceDefinition>(definition: Service): MethodsOf<Service> {
  const methods = Object.entries(definition.methods).map(([key, { name, requestType, responseType }]) => [
    key,
    {
      path: `/${definition.fullName}/${name}`,
      encode: (request: unknown) => requestType.encode(requestType.fromPartial?.(request)).finish(),
      decode: (bytes: Uint8Array) => responseType.decode(bytes),
    },
  ]);
  return Object.fromEntries(methods);
}
