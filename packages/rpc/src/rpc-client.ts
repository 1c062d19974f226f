import { credentials, Channel as GrpcChannel } from '@grpc/grpc-js';
import { maxMessageSizeBytes } from '@nodewright/contract';
import { openUnixPath } from '@nodewright/files';
import type { Telemetry } from '@nodewright/telemetry';
import {
  type Channel,
  type Client,
  type CompatServiceDefinition,
  createClientFactory,
  Metadata,
} from 'nice-grpc';
import { withByteMessages } from './byte-messages.ts';
import { createClientTraceMiddleware } from './client-trace-middleware.ts';

/** Options that every channel of this project uses. */
export const channelOptions = {
  'grpc.max_receive_message_length': maxMessageSizeBytes,
  'grpc.max_send_message_length': -1,
  'grpc-node.flow_control_window': 65_535 * 32,
} as const;

export interface UnixChannelOptions {
  /** The longest back-off before the next connection attempt. Default: two minutes, the default of gRPC. */
  readonly maxReconnectPauseMs?: number;
}

/** A channel to a daemon's unix socket; the path may have any length. It connects at the first call. */
export function openUnixChannel(
  path: string,
  { maxReconnectPauseMs }: UnixChannelOptions = {},
): Channel & Disposable {
  const socket = openUnixPath(path);
  // Proxy variables of the environment do not apply to unix sockets.
  const channel: Channel = new GrpcChannel(`unix:${socket.path}`, credentials.createInsecure(), {
    ...channelOptions,
    'grpc.enable_http_proxy': 0,
    // Otherwise a channel inherits the back-off, of up to two minutes, of earlier channels to this socket.
    'grpc.use_local_subchannel_pool': 1,
    ...(maxReconnectPauseMs === undefined
      ? {}
      : {
          'grpc.initial_reconnect_backoff_ms': Math.min(100, maxReconnectPauseMs),
          'grpc.max_reconnect_backoff_ms': maxReconnectPauseMs,
        }),
  });
  return Object.assign(channel, {
    [Symbol.dispose]() {
      channel.close();
      socket[Symbol.dispose]();
    },
  });
}

export interface RpcClientOptions {
  telemetry: Telemetry;
  /** Metadata sent with every call. */
  metadata?: Readonly<Record<string, string | string[]>>;
}

/** A typed client of one service, with a span around each call. */
export function createRpcClient<Service extends CompatServiceDefinition>(
  definition: Service,
  channel: Channel,
  { telemetry, metadata = {} }: RpcClientOptions,
): Client<Service> {
  return createClientFactory()
    .use((call, options) => {
      const merged = Metadata(options.metadata);
      for (const [key, value] of Object.entries(metadata)) if (!merged.has(key)) merged.set(key, value);
      return call.next(call.request, { ...options, metadata: merged });
    })
    .use(createClientTraceMiddleware(telemetry, channel.getTarget()))
    .create(withByteMessages(definition), channel);
}
