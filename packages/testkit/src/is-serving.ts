import { existsSync } from 'node:fs';
import {
  HealthCheckResponse_ServingStatus,
  HealthDefinition,
} from '@nodewright/contract/gen/grpc/health/v1/health.ts';
import { createRpcClient, openUnixChannel } from '@nodewright/rpc';
import { noTelemetry } from '@nodewright/telemetry';

/** Whether the daemon behind this unix socket reports SERVING. */
export async function isServing(socket: string): Promise<boolean> {
  if (!existsSync(socket)) return false;
  using channel = openUnixChannel(socket);
  const client = createRpcClient(HealthDefinition, channel, { telemetry: noTelemetry });
  return (await client.check({})).status === HealthCheckResponse_ServingStatus.SERVING;
}
