// Loaded into machined before its own code: measures the longest turn of its event loop in processor time of its thread, which a
// busy machine does not change. Whoever connects to the socket gets it in microseconds, and the next measurement begins.
const { createServer } = require('node:net');

const socket = process.env.STALL_PROBE;
// Daemons that machined starts are not measured.
delete process.env.NODE_OPTIONS;
delete process.env.STALL_PROBE;

const used = () => {
  const { user, system } = process.threadCpuUsage();
  return user + system;
};
let before = used();
let longest = 0;
const turn = () => {
  const now = used();
  longest = Math.max(longest, now - before);
  before = now;
  setImmediate(turn).unref();
};
turn();
createServer((client) => {
  client.end(String(longest));
  longest = 0;
})
  .listen(socket)
  .unref();
