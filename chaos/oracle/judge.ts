// Entry point of the oracle, which turns the evidence of a run into a verdict. The oracle shares no code with the
// gateway. It recomputes everything from the sent messages, the answered quotes, the scheme's data and the rules.
//
// To add a check:
// - Write a function `(world, report)` in checks/, next to the checks of the same invariant, and add it to the list
//   below.
// - Call `report.examined` with the number of examined things, even if it is zero. With zero, the invariant counts as
//   "not shown".
// - Consider how a correct system may behave after a kill -9, a reset or a silent network. `world.quiet.isCalm` tells
//   whether the gateway and the named parties were free of faults. Name only the parties that the check depends on.
// - Use `report.late` for a delay that a slow machine alone can cause.
// - Change the clean evidence in test/chaos/ in such a way that the check must report a breach.
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

/** @param evidence the evidence of one run, from `readEvidence` */
export function judge(evidence: Evidence): Verdict {
  const world = openWorld(evidence);
  const { report, verdict } = openReport(world.machine);
  for (const check of checks) check(world, report);
  return verdict();
}
