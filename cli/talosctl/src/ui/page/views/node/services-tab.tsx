import { useState } from 'preact/hooks';
import type { ServiceState } from '../../../protocol/messages.ts';
import { judgeService } from '../../judge/judge-service.ts';
import { dateText, durationText } from '../../parts/figures.ts';
import { Panel, Waiting } from '../../parts/panel.tsx';
import { StateDot } from '../../parts/state-dot.tsx';
import { linkTo } from '../../shell/route.ts';
import type { TabProps } from './node-view.tsx';

/** The services of the node, each with what happened to it. */
export function ServicesTab({ name, feed, judged, now }: TabProps) {
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const { detail, problem } = feed;
  if (detail === undefined) return <Waiting problem={problem} what="the services" />;
  const toggle = (id: string) => {
    const next = new Set(open);
    if (!next.delete(id)) next.add(id);
    setOpen(next);
  };
  const services = detail.services.toSorted(
    (a, b) => Number(a.isWell) - Number(b.isWell) || (a.id < b.id ? -1 : 1),
  );
  return (
    <Panel title="Services">
      <ul class="services">
        {services.map((service) => (
          <li key={service.id}>
            <div class="service">
              <StateDot {...judgeService(service, judged)} />
              <strong>{service.id}</strong>
              <span>{service.state}</span>
              <span class="soft">{sinceText(service, now)}</span>
              <span class="message">{service.message}</span>
              <a href={linkTo('logs', [], { nodes: name, logs: service.id })}>log</a>
              <a href={linkTo('what-if', [], { nodes: name, action: 'restart', service: service.id })}>
                restart …
              </a>
              <button type="button" aria-expanded={open.has(service.id)} onClick={() => toggle(service.id)}>
                {open.has(service.id) ? 'Hide history' : `History (${service.events.length})`}
              </button>
            </div>
            {open.has(service.id) && (
              <ol class="history">
                {service.events.map(({ atMs, state, message }, at) => (
                  <li key={service.events.length - at}>
                    <time>{dateText(atMs)}</time>
                    <span class="chip">{state}</span>
                    <span>{message}</span>
                  </li>
                ))}
              </ol>
            )}
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function sinceText({ events }: ServiceState, now: number): string {
  const [last] = events;
  return last === undefined ? '' : `for ${durationText(now - last.atMs)}`;
}
