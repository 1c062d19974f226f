/** What apid says of a target that is no member and no name. Clients look for it: no other node was dialled. */
export const unknownNodeReason = 'it is no member of this cluster, and its name does not resolve';
