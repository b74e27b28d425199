// Declares and serves every route of the JSON API: roles, input, answer. It checks the token, the role and the input
// before a handler runs. One function does the work of a chain of middleware. input.ts, cors.ts and reference-answer.ts
// say how much Hono's own would cost.
import { createRoute, OpenAPIHono, type RouteConfig, type z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { assert } from '../../core/assert.ts';
import type { SenderLimits } from '../../core/settings/config.ts';
import { aboutRequest } from './access-log.ts';
import { authenticateAfter, counting, type Before, type Count } from './limits/arrival.ts';
import {
  everyRole,
  roleInWords,
  senderOf,
  type Authenticator,
  type Caller,
  type Role,
  type SignatureCheck,
} from './caller.ts';
import { waiting } from './client.ts';
import { withCors } from './cors.ts';
import { readInput, type Input, type InputSchemas, type Receiver } from './input/input.ts';
import { documentResponses, type AnswerDocument } from './openapi.ts';
import { isProblem, problem, renderProblem, type Problem } from './problems/problem.ts';
import type { ProblemCode } from './problems/problems.ts';
import type { Quotas } from './limits/quotas.ts';
import { keptAnswer, renderKept, type Kept } from './reference-answer.ts';
import { thread } from './limits/fair-queue.ts';
import { toldToSigner } from './problems/signer.ts';
import { admitting } from './limits/admission.ts';
import answerExamples from './answer-examples.json' with { type: 'json' };
import { createTurns, turnKinds, type GiveUpTurn, type TurnKind, type Turns } from './limits/turns.ts';

type Fields = z.ZodObject;
type NoFields = z.ZodObject<Record<string, never>>;

export interface Route<
  Params extends Fields = NoFields,
  Query extends Fields = NoFields,
  Body extends z.ZodType = z.ZodUndefined,
> extends InputSchemas<Params, Query, Body> {
  readonly method: 'get' | 'post';
  /** OpenAPI template, written as the specification writes it; served with and without a trailing slash. */
  readonly path: string;
  /** Operation ids of other paths of the same operation, by path. */
  readonly aliases?: Readonly<Record<string, string>>;
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tag: string;
  /** Roles that may call it. `any`: any valid token. An empty list stops the start. */
  readonly roles: readonly Role[] | 'any';
  /** The checks of a message before it is read. */
  readonly before?: Before;
  /** The message must be signed if its operator requires that. */
  readonly isSigned?: true;
  /**
   * The kind of queue, which limits how many requests of a sender run at once. Default: `message` if the route has a
   * body, else `question`. Answers from memory (`madeFrom`) never wait in a queue.
   */
  readonly turns?: TurnKind;
  /**
   * The data that the answer depends on, besides the address. As long as this returns the same object, the answer to an
   * address is kept and reused.
   */
  readonly madeFrom?: () => object;
  /** Refusals of this route, beyond those that every route shares. */
  readonly problems?: readonly ProblemCode[];
  readonly answer: AnswerDocument;
  /** Merged into the operation of the OpenAPI document: header parameters, bodies that are not JSON. */
  readonly request?: RouteConfig['request'];
}

/** The argument of a handler: valid input, and the caller. */
export interface Call<Params extends Fields, Query extends Fields, Body extends z.ZodType> {
  readonly params: z.output<Params>;
  readonly query: z.output<Query>;
  readonly body: z.output<Body>;
  /** The text of the JSON body. */
  readonly bodyText: string;
  readonly caller: Caller;
  readonly context: Context;
  /** Lets the next request of the same sender begin, while this one only waits for another party. */
  readonly giveUpTurn: GiveUpTurn;
}

type Answer = Response | Kept | Problem;
type Handler<Params extends Fields, Query extends Fields, Body extends z.ZodType> = (
  call: Call<Params, Query, Body>,
) => Answer | Promise<Answer>;

/** A route that needs no token: health, documentation, the token endpoint itself. */
export interface PublicRoute {
  readonly method: 'get' | 'post';
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tag: string;
  readonly answers: RouteConfig['responses'];
  readonly request?: RouteConfig['request'];
  /** Left out of the OpenAPI document. */
  readonly hidden?: boolean;
}

export interface Router {
  readonly app: OpenAPIHono;
  add<
    Params extends Fields = NoFields,
    Query extends Fields = NoFields,
    Body extends z.ZodType = z.ZodUndefined,
  >(
    route: Route<Params, Query, Body>,
    handler: Handler<Params, Query, Body>,
  ): void;
  addPublic(route: PublicRoute, handler: PublicHandler): void;
  /** Methods of the path, for 405 and OPTIONS; empty if there is no such path. */
  methodsOf(path: string): readonly string[];
  /** @throws if the app serves a route that was not declared here: it would have no roles */
  assertAllDeclared(): void;
}

type PublicHandler = (context: Context) => Answer | Promise<Answer>;

export interface RouterOptions {
  /** Origins whose pages may read the answers. */
  readonly corsOrigins: readonly string[];
  readonly quotas: Quotas;
  readonly limits: SenderLimits;
  /** Absent: signatures are not checked. */
  readonly checkSignature?: SignatureCheck;
}

export function createRouter(
  authenticator: Authenticator,
  { corsOrigins, quotas, limits, checkSignature }: RouterOptions,
): Router {
  // A trailing slash makes no difference: the specification writes some paths with and some without.
  const app = new OpenAPIHono({ strict: false });
  const turnsOf = turnsByKind();
  const declared = new Set<string>();

  function serve(method: 'get' | 'post', path: string, handler: PublicHandler) {
    const routed = toHonoPath(path);
    const name = method.toUpperCase();
    declared.add(`${name} ${routed}`);
    app.on(name, routed, (context) => {
      aboutRequest(context).route = path;
      return andThen(handler(context), (answer) => withCors(render(answer, context), context, corsOrigins));
    });
  }

  return {
    app,
    add(route, handler) {
      const roles = checkedRoles(route);
      const kind = turnKindOf(route);
      const turns = kind && turnsOf(kind);
      const count = counting(
        quotas,
        route,
        kind === 'quote' || route.before ? limits.messagesPerMinute : limits.requestsPerMinute,
      );
      const answer = answering({ route, roles, turns, count }, handler);
      const names = { [route.path]: route.operationId, ...route.aliases };
      for (const [path, operationId] of Object.entries(names)) {
        app.openAPIRegistry.registerPath(documentOf(route, { path, operationId, roles }));
        serve(route.method, path, (context) =>
          andThen(
            route.before === undefined
              ? authenticator.authenticate(context)
              : authenticateAfter(route.before, {
                  authenticator,
                  turns,
                  context,
                  count,
                  checkSignature: route.isSigned && checkSignature,
                  forbid: (caller) => forbid(roles, caller),
                }),
            (caller) => answer(context, caller),
          ),
        );
      }
    },
    addPublic(route, handler) {
      if (route.hidden !== true) app.openAPIRegistry.registerPath(publicDocumentOf(route));
      serve(route.method, route.path, handler);
    },
    methodsOf: (path) => methodsFor(path, app),
    assertAllDeclared() {
      for (const { method, path } of app.routes) {
        assert(declared.has(`${method} ${path}`), `${method} ${path} states no roles (SEC-1)`);
      }
    },
  };
}

/**
 * Continues synchronously if there is nothing to wait for: an answer from memory then needs no turn of the event loop.
 */
function andThen<Value, Result>(
  value: Value | Promise<Value>,
  next: (value: Value) => Result | Promise<Result>,
): Result | Promise<Result> {
  return value instanceof Promise ? value.then(next) : next(value);
}

interface Answering<Params extends Fields, Query extends Fields, Body extends z.ZodType> {
  readonly route: Route<Params, Query, Body>;
  readonly roles: readonly Role[];
  readonly turns: Turns | undefined;
  readonly count: Count;
}

/** Checks the limit and the role. Then it returns a kept answer, or reads the input and calls the handler. */
function answering<Params extends Fields, Query extends Fields, Body extends z.ZodType>(
  { route, roles, turns, count }: Answering<Params, Query, Body>,
  handler: Handler<Params, Query, Body>,
): (context: Context, caller: Caller | Problem) => Answer | Promise<Answer> {
  const receive = inRoom(readInput(route), route.body === undefined ? undefined : turns);
  const { madeFrom } = route;
  return (context, caller) => {
    if (isProblem(caller)) return caller;
    aboutRequest(context).client = caller.clientId;
    const over = route.before === undefined ? count(context, caller) : undefined; // else authenticateAfter counted it
    if (over !== undefined) return over;
    const forbidden = forbid(roles, caller);
    if (forbidden !== undefined) return forbidden;
    const known = madeFrom === undefined ? undefined : keptAnswer(madeFrom(), context);
    if (known !== undefined) return known;
    const handle = (input: Input<Params, Query, Body> | Problem, giveUpTurn: GiveUpTurn) => {
      if (isProblem(input)) return input;
      const { params, query, body, bodyText } = input;
      const { uetr } = params as { readonly uetr?: string };
      if (uetr !== undefined) aboutRequest(context).subjectId = uetr;
      return handler({ params, query, body, bodyText, caller, context, giveUpTurn });
    };
    return andThen(receive(context, caller), (received) => {
      const read = typeof received === 'function' ? received : () => received;
      return turns === undefined
        ? handle(read(), noTurn)
        : turns.take(senderOf(caller), async (giveUpTurn) => handle(read(), giveUpTurn), {
            ...waiting(context),
            untilClosed: route.turns === 'book',
          });
    });
  };
}

const noTurn = () => undefined;

function forbid(roles: readonly Role[], { role, clientId }: Caller): Problem | undefined {
  if (role === 'all' || roles.includes(role)) return undefined;
  const taken = roles.map(roleInWords).join(' or ');
  const detail = `This requires the role ${taken}; ${clientId} has the role ${roleInWords(role)}.`;
  return problem('forbidden', { detail });
}

/** Receives a body only if its sender has room for one more. */
function inRoom<Value>(
  receive: Receiver<Value>,
  turns: Turns | undefined,
): (context: Context, caller: Caller) => ReturnType<Receiver<Value>> {
  if (turns === undefined) return receive;
  return async (context, caller) => {
    const leaveRoom = turns.makeRoom(senderOf(caller));
    if (typeof leaveRoom === 'object') return leaveRoom;
    try {
      return await receive(context);
    } finally {
      leaveRoom();
    }
  };
}

/**
 * Each route for messages has its own queues, so that no kind of message waits behind another. Other kinds share
 * theirs.
 */
function turnsByKind(): (kind: TurnKind) => Turns {
  const shared = new Map<TurnKind, Turns>();
  return (kind) => {
    if (kind === 'message') return createTurns(turnKinds[kind], thread);
    if (kind === 'submission' || kind === 'resolution')
      return admitting(createTurns(turnKinds[kind], thread));
    const turns = shared.get(kind) ?? createTurns(turnKinds[kind]);
    shared.set(kind, turns);
    return turns;
  };
}

function turnKindOf({
  turns,
  madeFrom,
  body,
}: Pick<Route, 'turns' | 'madeFrom'> & { readonly body?: z.ZodType }): TurnKind | undefined {
  if (madeFrom !== undefined) return undefined;
  return turns ?? (body === undefined ? 'question' : 'message');
}

function render(answer: Answer, context: Context): Response {
  if (answer instanceof Response) return answer;
  if (answer.kind === 'kept') return renderKept(answer, context);
  if (answer.ruleId !== undefined) aboutRequest(context).ruleId = answer.ruleId;
  return renderProblem(toldToSigner(answer, context));
}

/** Default deny: a route without roles stops the start. */
function checkedRoles(route: { roles: readonly Role[] | 'any'; operationId: string }): readonly Role[] {
  const roles = route.roles === 'any' ? everyRole : route.roles;
  assert(roles.length > 0, `${route.operationId} states no roles (SEC-1)`);
  return roles;
}

/** `{name}` becomes `:name`. The trailing slash is left out, because the app is not strict about it. */
function toHonoPath(path: string): string {
  return path.replaceAll(/\{([^{}]+)\}/g, ':$1').replace(/(?<=.)\/$/, '');
}

/** Sorted. It asks the router itself, so that 405 and the routes cannot differ. */
function methodsFor(path: string, { router }: OpenAPIHono): readonly string[] {
  const [gets, posts] = ['GET', 'POST'].map((method) => router.match(method, path)[0].length > 0);
  if (!gets && !posts) return [];
  return [...(gets ? ['GET', 'HEAD'] : []), 'OPTIONS', ...(posts ? ['POST'] : [])];
}

const recordedExamples: Readonly<Record<string, unknown>> = answerExamples;

function documentOf<Params extends Fields, Query extends Fields, Body extends z.ZodType>(
  route: Route<Params, Query, Body>,
  named: { path: string; operationId: string; roles: readonly Role[] },
): RouteConfig {
  const { params, query, body, request } = route;
  return createRoute({
    method: route.method,
    path: named.path,
    operationId: named.operationId,
    summary: route.summary,
    ...(route.description === undefined ? {} : { description: route.description }),
    tags: [route.tag],
    security: [{ oauth2: [] }],
    'x-roles': [...named.roles],
    request: {
      ...(params === undefined ? {} : { params }),
      ...(query === undefined ? {} : { query }),
      ...(body === undefined
        ? {}
        : { body: { required: true, content: { 'application/json': { schema: body } } } }),
      ...request,
    },
    responses: documentResponses(route.answer, {
      example: recordedExamples[route.operationId],
      problems: [
        ...(route.problems ?? []),
        ...(route.isSigned ? (['signature-refused'] as const) : []),
        'too-many-requests',
        ...(turnKindOf(route) === undefined ? [] : (['too-many-messages'] as const)),
        ...(route.turns === 'submission' || route.turns === 'resolution' ? (['overloaded'] as const) : []),
      ],
      takesBody: route.method === 'post',
      kept: route.madeFrom !== undefined,
    }),
  });
}

function publicDocumentOf(route: PublicRoute): RouteConfig {
  const { method, path, operationId, summary, tag, answers, request, description } = route;
  return createRoute({
    method,
    path,
    operationId,
    summary,
    tags: [tag],
    security: [],
    responses: answers,
    ...(description === undefined ? {} : { description }),
    ...(request === undefined ? {} : { request }),
  });
}
