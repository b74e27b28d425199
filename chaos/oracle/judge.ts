// Entry of the oracle: it turns the evidence of a run into a verdict. It shares no code with what it judges. It
// recomputes everything from the sent messages, the answered quotes, the scheme's data and the rules.
//
// To add a check:
// - Write a function `(world, report)` in checks/, beside those of the same invariant, and add it to the list below.
// - Call `report.examined` with the number of things examined, even if it is zero; the invariant is then "not shown".
// - Consider what a correct system may do after kill -9, a reset or a black hole. `world.quiet.isCalm` says when
//   neither we nor the named parties were broken; name the parties that concern the check, and no others.
// - Use `report.late` for what a slow machine alone can delay.
// - Alter the clean evidence in test/chaos/ so that the check must report it.
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
