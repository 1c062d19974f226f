// Source: Talos v1.14: COSI resources, enumerations.
import { enumeration } from '../../spec/field-types.ts';

export const peerState = enumeration('PeerState', { unknown: 0, up: 1, down: 2 });
