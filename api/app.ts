// The HTTP service as one Hono app: every route, and the behaviour that all routes share (404, 405, OPTIONS,
// CORS, failures). No rule of the domain belongs here.
import type { OpenAPIHono } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { routePath } from 'hono/route';
import type { Logger } from 'pino';
import { alertRoutes } from './operations/alerts.ts';
import { endpointTrialRoutes } from './operations/endpoint-trials.ts';
import { addressTypeRoutes } from './reference/address-types.ts';
import { countryRoutes } from './reference/countries.ts';
import { currencyRoutes } from './reference/currencies.ts';
import { flowRoutes } from './payments/flow.ts';
import { whoamiRoutes } from './reference/whoami.ts';
import { deliveryKeyRoutes } from './keys/delivery-keys.ts';
import type { ApiDependencies, RouteModule } from './dependencies.ts';
import { documentationRoutes } from './reference/documentation.ts';
import { feeRoutes } from './quotes/fees.ts';
import { finInstRoutes } from './reference/fin-insts.ts';
import { healthRoutes } from './operations/health.ts';
import { preflightHeaders, withCors } from './http/cors.ts';
import { failureOf, WorkersAway } from './http/problems/failures.ts';
import { BodyInPieces, ClientWentAway } from './http/input/input.ts';
import { problem, renderProblem, type Problem } from './http/problems/problem.ts';
import { malformed, methodNotAllowed, nothingAt } from './http/problems/refused-requests.ts';
import { createQuotas, minutesOfDay } from './http/limits/quotas.ts';
import { baseHeaders } from './http/response.ts';
import { createRouter, type Router } from './http/route.ts';
import type { ServedApp } from './http/server.ts';
import { toldToSigner } from './http/problems/signer.ts';
import { partyRoutes } from './operations/parties.ts';
import { pauseRoutes } from './operations/pauses.ts';
import { bookRoutes } from './books/books.ts';
import { reconciliationRoutes } from './books/reconciliation.ts';
import { sentBookRoutes } from './books/sent-books.ts';
import { paymentListRoutes } from './payments/payment-list.ts';
import { quoteRoutes } from './quotes/quotes.ts';
import { rateRoutes } from './quotes/rates.ts';
import { standingRoutes } from './quotes/standings.ts';
import { rejectionRoutes } from './payments/rejections.ts';
import { unknownPage } from './portal/layout.ts';
import { ruleBookRoutes } from './rule-book.ts';
import { schemeRoutes } from './scheme/scheme.ts';
import { schemeChangeRoutes } from './scheme/scheme-changes.ts';
import { submissionListRoutes } from './payments/submission-list.ts';

const ownModules: readonly RouteModule[] = [
  countryRoutes,
  currencyRoutes,
  addressTypeRoutes,
  finInstRoutes,
  quoteRoutes,
  feeRoutes,
  rateRoutes,
  standingRoutes,
  rejectionRoutes,
  ruleBookRoutes,
  paymentListRoutes,
  flowRoutes,
  submissionListRoutes,
  alertRoutes,
  partyRoutes,
  endpointTrialRoutes,
  pauseRoutes,
  bookRoutes,
  reconciliationRoutes,
  sentBookRoutes,
  schemeRoutes,
  schemeChangeRoutes,
  deliveryKeyRoutes,
  healthRoutes,
  whoamiRoutes,
  documentationRoutes,
];

/** @throws if a route has no roles */
export function createApp(deps: ApiDependencies): OpenAPIHono & ServedApp {
  const { corsOrigins, senderLimits: limits } = deps.config;
  const { quotas = createQuotas(), ofDay = createQuotas(undefined, minutesOfDay) } = deps;
  const router = createRouter(deps.auth, {
    corsOrigins,
    quotas,
    limits,
    ...(deps.checkSignature && { checkSignature: deps.checkSignature }),
  });
  for (const module of [...ownModules, ...(deps.modules ?? [])]) module(router, { ...deps, quotas, ofDay });
  router.assertAllDeclared();
  router.app.notFound(async (context) =>
    withCors(await answerUnrouted(context, router, corsOrigins), context, corsOrigins),
  );
  router.app.onError((error, context) => {
    if (error instanceof ClientWentAway) return giveUp(error, context, deps.logger);
    const answer =
      error instanceof BodyInPieces
        ? renderProblem(malformed('pieces'))
        : answerFailure(error, context, deps.logger);
    return withCors(answer, context, corsOrigins);
  });
  const { repeatKept } = router;
  return Object.assign(router.app, { repeatKept });
}

/**
 * Nobody receives this answer: the connection has ended, or the server itself refuses its bytes and closes
 * it.
 */
function giveUp(error: ClientWentAway, context: Context, logger: Logger): Response {
  logger.info({ route: routePath(context) }, error.message);
  return renderProblem(problem('invalid-request'));
}

/** Routes that store a message before they call Temporal. */
const storingRoutes = ['/iso20022/pacs008', '/iso20022/pacs002', '/iso20022/acmt023'];
/** The text must stop the sender from giving up, and from sending another message instead. */
const perhapsStored =
  'A part of the service does not answer. The message may have been stored: send the same bytes again until you get an answer.';

/**
 * Returns the problem for a failure. On a route that stores messages, it says that the message may be stored.
 */
function toldOf(error: Error, context: Context): Problem {
  const refusal = failureOf(error);
  const isUnknown = refusal.code === 'unavailable' && storingRoutes.includes(routePath(context));
  return toldToSigner(isUnknown ? problem('unavailable', { detail: perhapsStored }) : refusal, context);
}

/**
 * Logs a failure and answers the request. The log of missing workers has no stack, because it would add
 * nothing.
 */
function answerFailure(error: Error, context: Context, logger: Logger): Response {
  const refusal = toldOf(error, context);
  if (error instanceof WorkersAway) {
    logger.error({ route: routePath(context) }, error.message);
    return renderProblem(refusal);
  }
  const text = refusal.code === 'unavailable' ? 'a part of the service does not answer' : 'request failed';
  logger.error({ err: error, route: routePath(context) }, text);
  return renderProblem(refusal);
}

/** Answers OPTIONS, a wrong method (405 with Allow), or an unknown address (404). */
function answerUnrouted(
  context: Context,
  router: Router,
  corsOrigins: readonly string[],
): Response | Promise<Response> {
  const methods = router.methodsOf(context.req.path);
  const { method, path } = context.req;
  if (path.startsWith('/portal/') && method !== 'OPTIONS')
    return unknownPage(context, methods.length === 0 ? 404 : 405, methods.join(', '));
  if (methods.length === 0) return renderProblem(nothingAt(method, path));
  const allow = methods.join(', ');
  if (method !== 'OPTIONS') return renderProblem(methodNotAllowed(method, allow));
  const preflight = preflightHeaders(context, allow, corsOrigins);
  return new Response(null, {
    status: 204,
    headers: { ...baseHeaders, allow, vary: 'Origin', ...preflight },
  });
}
