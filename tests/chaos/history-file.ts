/** Where `make chaos` leaves what its clients of etcd saw, a line of JSON for each operation, seen from the checkout. */
export const historyFile = '_out/chaos/history.jsonl';
