import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FeedEvent } from '../../protocol/messages.ts';
import { afterFeedEvent, emptyFeed } from './feed-state.ts';

/** As it arrives at the page. */
const sent = (event: FeedEvent) => JSON.parse(JSON.stringify(event)) as FeedEvent;

test('a fact that disappears leaves the page, and the others stay', () => {
  const version = { name: 'Talos', version: 'v1.14.0' };
  const hostname = { hostname: 'node01', domainname: '' };
  const facts = { version, hostname } as never;
  const known = afterFeedEvent(emptyFeed, sent({ kind: 'facts', facts, gone: [] }));
  assert.deepEqual(known.facts, { version, hostname });
  const gone = sent({ kind: 'facts', facts: { hostname: undefined } as never, gone: ['hostname'] });
  assert.deepEqual(afterFeedEvent(known, gone).facts, { version });
});
