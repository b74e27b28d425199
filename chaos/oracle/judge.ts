// The oracle's entry: the evidence of a run in, a verdict out. It shares no code with what it judges; everything is
// recomputed from the messages that were sent, the quotes that were answered, the scheme's data and the rules.
//
// To add a check: write a function `(world, report)` in checks/, beside those of the same invariant, name what it
// examined by `report.examined` (zero too: then the invariant is not shown), and put it into the list below. Ask of each
// check what an honest system may do after kill -9, a reset or a black hole: `world.quiet.isCalm` says when neither we
// nor the parties that concern it were broken; name those, and no others. Then alter the clean evidence in test/chaos/
// so that the check must name it. What may come late only because the machine is slow goes to `report.late`.
import { judgeAddresses } from './checks/addresses.ts';
import { judgeAlerts } from './checks/alerts.ts';
import { judgeAnswers } from './checks/answers.ts';
import { judgeDeliveries } from './checks/deliveries.ts';
import { judgeDestinations } from './checks/destination.ts';
import { judgeHeldUp } from './checks/held-up.ts';
import { judgeMessages } from './checks/messages.ts';
import { judgeNotifications } from './checks/notifications.ts';
import { judgePace } from './checks/pace.ts';
import { judgePauses } from './checks/pauses.ts';
import { judgePrivacy } from './checks/privacy.ts';
import { judgeResolutions } from './checks/resolutions.ts';
import { judgeSchedules } from './checks/schedule.ts';
import { judgeShown } from './checks/shown.ts';
import { judgeStates } from './checks/states.ts';
import { judgeQuotes } from './checks/quotes.ts';
import { judgeQuoteUses, judgeSums } from './checks/sums.ts';
import { judgeTold } from './checks/told.ts';
import { judgeUnanswered } from './checks/unanswered.ts';
import { judgeWaiting } from './checks/waiting.ts';
import type { Evidence } from './read-evidence.ts';
import { openReport, type Report, type Verdict } from './verdict.ts';
import { openWorld, type World } from './world.ts';

type Check = (world: World, report: Report) => void;

const checks: readonly Check[] = [
  judgeAnswers,
  judgeUnanswered,
  judgeShown,
  judgeWaiting,
  judgeDestinations,
  judgeTold,
  judgeAlerts,
  judgeNotifications,
  judgeQuoteUses,
  judgeSums,
  judgePauses,
  judgeQuotes,
  judgeResolutions,
  judgeAddresses,
  judgeStates,
  judgeMessages,
  judgeSchedules,
  judgeHeldUp,
  judgePrivacy,
  judgePace,
  judgeDeliveries,
];

/** @param evidence of one run, as `readEvidence` reads it from a folder */
export function judge(evidence: Evidence): Verdict {
  const world = openWorld(evidence);
  const { report, verdict } = openReport(world.machine);
  for (const check of checks) check(world, report);
  return verdict();
}
