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
import { judgeAnsweredAgents } from './checks/answered-agents.ts';
import { judgeAnsweredFees } from './checks/answered-fees.ts';
import { judgeAnswers } from './checks/answers.ts';
import { judgeAskedFor } from './checks/asked-for.ts';
import { judgeDeliveries } from './checks/deliveries.ts';
import { judgeDestinations } from './checks/destination.ts';
import { judgeEvents } from './checks/events.ts';
import { judgeHeldUp } from './checks/held-up.ts';
import { judgeJudgements } from './checks/judgement.ts';
import { judgeMessages } from './checks/messages.ts';
import { judgeNotifications } from './checks/notifications.ts';
import { judgePace } from './checks/pace.ts';
import { judgePauses } from './checks/pauses.ts';
import { judgePostedImprovements } from './checks/posted-improvements.ts';
import { judgePostedRates } from './checks/posted-rates.ts';
import { judgePrivacy } from './checks/privacy.ts';
import { judgeReferenceData } from './checks/reference-data.ts';
import { judgeReplies } from './checks/replies.ts';
import { judgeResolutions } from './checks/resolutions.ts';
import { judgeSchedules } from './checks/schedule.ts';
import { judgeShownMessages } from './checks/shown-messages.ts';
import { judgeShownRates } from './checks/shown-rates.ts';
import { judgeShownRecords } from './checks/shown-records.ts';
import { judgeShownReference } from './checks/shown-reference.ts';
import { judgeStates } from './checks/states.ts';
import { judgeQuoteSnapshots } from './checks/quote-snapshots.ts';
import { judgeQuotes } from './checks/quotes.ts';
import { judgeQuoteUses, judgeSums } from './checks/sums.ts';
import { judgeTold } from './checks/told.ts';
import { judgeTriedAgain } from './checks/tried-again.ts';
import { judgeUnanswered } from './checks/unanswered.ts';
import { judgeWaiting } from './checks/waiting.ts';
import type { Evidence } from './read-evidence.ts';
import { openReport, type Report, type Verdict } from './verdict.ts';
import { openWorld, type World } from './world.ts';

type Check = (world: World, report: Report) => void;

const checks: readonly Check[] = [
  judgeAnswers,
  judgeAskedFor,
  judgeUnanswered,
  judgeShownRecords,
  judgeShownMessages,
  judgeWaiting,
  judgeDestinations,
  judgeTold,
  judgeAlerts,
  judgeEvents,
  judgeNotifications,
  judgeQuoteUses,
  judgeSums,
  judgeJudgements,
  judgePauses,
  judgeReferenceData,
  judgeQuotes,
  judgeQuoteSnapshots,
  judgeAnsweredAgents,
  judgeAnsweredFees,
  judgePostedRates,
  judgePostedImprovements,
  judgeShownRates,
  judgeShownReference,
  judgeResolutions,
  judgeAddresses,
  judgeStates,
  judgeMessages,
  judgeReplies,
  judgeSchedules,
  judgeTriedAgain,
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
