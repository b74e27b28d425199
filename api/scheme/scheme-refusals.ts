// Problems that tell operators why a scheme change cannot be made or decided.
import type { Finding } from '../../core/scheme/finding.ts';
import type { Decision, DecisionHindrance } from '../../db/scheme/changes.ts';
import { problem, type Problem } from '../http/problems/problem.ts';

/** Refuses a change, and names those findings that are errors. */
export function refusedBy(findings: readonly Finding[]): Problem {
  const errors = findings
    .filter(({ severity }) => severity === 'error')
    .map(({ kind, id, path, says }) => ({ pointer: `/${kind}/${id}${path}`, detail: says }));
  return problem('scheme-error', {
    detail: `Nothing is changed: ${errors[0]?.pointer ?? ''} ${errors[0]?.detail ?? ''}${errors.length > 1 ? ` And ${errors.length - 1} more: see errors.` : ''}`,
    errors: errors.slice(0, 100),
  });
}

export function refusalOf(hindrance: DecisionHindrance, decision: Decision): Problem {
  switch (hindrance.kind) {
    case 'unknown':
      return problem('unknown-change');
    case 'not-pending':
      return problem('change-not-pending', {
        detail: `The change is ${hindrance.state}. GET /admin/changes/{changeId} says by whom and when.`,
      });
    case 'wrong-person':
      return decision === 'withdrawn'
        ? problem('not-own-change', {
            detail: `Only ${hindrance.proposedBy}, who proposed it, may withdraw it. You may refuse it.`,
          })
        : problem('own-change');
    case 'outdated': {
      const names = hindrance.edits.map(({ kind, id }) => `${kind} ${id}`).join(', ');
      return problem('change-outdated', {
        detail: `Changed since this was proposed: ${names}. Nothing of it was applied: propose it again.`,
      });
    }
    case 'untried': {
      const said = hindrance.probes.map(
        ({ url, says }) => `${url}: ${says ?? 'under way, ask again in some seconds.'}`,
      );
      return problem('endpoint-untried', {
        detail: `${said.join(' ')} If it is right all the same, approve it with despiteProbes.`,
      });
    }
    case 'errors':
      return refusedBy(hindrance.findings);
  }
}
