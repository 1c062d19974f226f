/**
 * The prefix of the keys in etcd under which each control plane keeps its names and addresses, without a
 * lease; the id of its etcd member follows, in hexadecimal. The code that removes the member deletes the key.
 */
export const controlPlanePrefix = 'nodewright:v1:control-planes/';

/** @param memberId in the form of `talosctl etcd members` */
export const controlPlaneKey = (memberId: string): string => controlPlanePrefix + memberId;
