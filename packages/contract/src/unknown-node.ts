/**
 * The error text of apid for a target that is neither a member nor a resolvable name. Clients search for it:
 * it means that no other node was dialled.
 */
export const unknownNodeReason = 'it is not a member of this cluster, and its name does not resolve';
