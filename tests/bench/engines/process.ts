// A process that `engines.ts` or `fan-out.ts` measures, or its backend.
import { collectGently } from '@nodewright/daemon';
import {
  type BackendKind,
  type GatewayKind,
  serveBackends,
  serveFanOut,
  serveGateway,
} from './serve-engine.ts';

const [role, ...args] = process.argv.slice(2);
const [first = '', second = '', certificate = '', key = ''] = args;

// A profile is written when the process ends by itself.
process.once('SIGTERM', () => process.exit());
process.on('message', () => void collectGently().then(() => process.send?.(0)));
if (role === 'backends') await serveBackends(first as BackendKind, args.slice(1));
else if (role === 'fan-out') await serveFanOut(first, { certificate, key });
else await serveGateway(first as GatewayKind, second, { certificate, key });
