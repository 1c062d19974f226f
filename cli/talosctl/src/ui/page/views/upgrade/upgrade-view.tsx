import { dateText, durationText } from '../../parts/figures.ts';
import { Facts, Panel } from '../../parts/panel.tsx';
import { useJudgement, useNow, useSubscriptions } from '../../store/use-store.ts';
import { RolloutPanel } from './rollout-panel.tsx';

/** The upgrade of all nodes that runs, or was the last one. It changes nothing: it shows the commands that do. */
export function UpgradeView() {
  const store = useSubscriptions([]);
  const now = useNow();
  const { number, rollout } = useJudgement();
  const { plan } = rollout;
  const { endedMs } = store.snapshot.rollout ?? {};
  const ageText = (ms: number) => `${dateText(ms)}, ${durationText(now - ms)} ago`;
  return (
    <>
      <header class="view-head" data-snapshot={number}>
        <h1>Upgrade</h1>
        <p class="soft">
          The plan lies in the cluster, and goes on without this page. The page changes nothing of it.
        </p>
      </header>
      <RolloutPanel rollout={rollout} number={number} context={store.context} />
      {plan !== undefined && (
        <Panel title="The plan" number={number}>
          <Facts
            facts={[
              ['Each node', plan.action],
              ['State', plan.reason === '' ? plan.phase : `${plan.phase}: ${plan.reason}`],
              ['Started', plan.startedMs === undefined ? 'not known' : ageText(plan.startedMs)],
              ...(endedMs === undefined ? [] : [['Ended', ageText(endedMs)] as const]),
              [
                'Driven by',
                plan.driver || (plan.isSettled ? 'nobody: nothing is to be done' : 'nobody at the moment'),
              ],
              ['At once', `at most ${plan.maxUnavailable} unavailable`],
              ['Pauses', plan.pauseAfter === 0 ? 'not by itself' : `when ${plan.pauseAfter} are done`],
              ['Id', <code key="id">{plan.id}</code>],
            ]}
          />
        </Panel>
      )}
    </>
  );
}
