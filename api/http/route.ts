// Declares and serves every route of the JSON API: roles, input and answer. Checks the token, the role and
// the input before a handler runs. One function does the work of a chain of middleware, because Hono's own
// middleware costs more. For the costs, see input.ts, cors.ts and reference-answer.ts.
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
  /** OpenAPI path template. The route is served with and without a trailing slash. */
  readonly path: string;
  /** Other paths of the same operation, each with its own operation id. */
  readonly aliases?: Readonly<Record<string, string>>;
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tag: string;
  /**
   * Roles that may call the route. `any`: any valid token. With an empty list, the service does not start.
   */
  readonly roles: readonly Role[] | 'any';
  /** Checks of a message before its body is read. */
  readonly before?: Before;
  /** Whether the message must be signed if its operator requires signatures. */
  readonly isSigned?: true;
  /**
   * The kind of queue, which limits how many requests of a sender run at once. Default: `message` if the
   * route has a body, otherwise `question`. Answers from memory (`madeFrom`) never wait in a queue.
   * `none`: the handler never waits, so its requests need no queue.
   */
  readonly turns?: TurnKind | 'none';
  /**
   * Returns the data that the answer depends on, besides the address. While this returns the same object, the
   * answer to an address is cached.
   */
  readonly madeFrom?: () => object;
  /** Problems that this route can return, in addition to those of every route. */
  readonly problems?: readonly ProblemCode[];
  readonly answer: AnswerDocument;
  /**
   * Merged into the operation of the OpenAPI document, for example header parameters and bodies that are not
   * JSON.
   */
  readonly request?: RouteConfig['request'];
}

/** The argument of a handler: the valid input and the caller. */
export interface Call<Params extends Fields, Query extends Fields, Body extends z.ZodType> {
  readonly params: z.output<Params>;
  readonly query: z.output<Query>;
  readonly body: z.output<Body>;
  /** The text of the JSON body. */
  readonly bodyText: string;
  readonly caller: Caller;
  readonly context: Context;
  /** Lets the next request of the same sender start while this request only waits for another party. */
  readonly giveUpTurn: GiveUpTurn;
}

type Answer = Response | Kept | Problem;
type Handler<Params extends Fields, Query extends Fields, Body extends z.ZodType> = (
  call: Call<Params, Query, Body>,
) => Answer | Promise<Answer>;

/** A route that needs no token, such as health, documentation and the token endpoint. */
export interface PublicRoute {
  readonly method: 'get' | 'post';
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tag: string;
  readonly answers: RouteConfig['responses'];
  readonly request?: RouteConfig['request'];
  /** Whether the OpenAPI document omits the route. */
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
  /** HTTP methods of the path, for 405 answers and OPTIONS; empty if the path does not exist. */
  methodsOf(path: string): readonly string[];
  /** @throws if the app serves a route that was not declared here, because that route would have no roles */
  assertAllDeclared(): void;
}

type PublicHandler = (context: Context) => Answer | Promise<Answer>;

export interface RouterOptions {
  /** Origins whose web pages may read the answers. */
  readonly corsOrigins: readonly string[];
  readonly quotas: Quotas;
  readonly limits: SenderLimits;
  /** If absent, signatures are not checked. */
  readonly checkSignature?: SignatureCheck;
}

export function createRouter(
  authenticator: Authenticator,
  { corsOrigins, quotas, limits, checkSignature }: RouterOptions,
): Router {
  // Accept paths with and without a trailing slash, because the specification writes some paths with and some
  // without one.
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
 * Continues synchronously if the value is not a promise, so that an answer from memory needs no turn of the
 * event loop.
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

/**
 * Checks the rate limit and the role. Then returns a cached answer, or reads the input and calls the handler.
 */
function answering<Params extends Fields, Query extends Fields, Body extends z.ZodType>(
  { route, roles, turns, count }: Answering<Params, Query, Body>,
  handler: Handler<Params, Query, Body>,
): (context: Context, caller: Caller | Problem) => Answer | Promise<Answer> {
  const receive = inRoom(readInput(route), route.body === undefined ? undefined : turns);
  const { madeFrom } = route;
  return (context, caller) => {
    if (isProblem(caller)) return caller;
    aboutRequest(context).client = caller.clientId;
    // for a route with `before`, authenticateAfter has already counted the request
    const over = route.before === undefined ? count(context, caller) : undefined;
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

/** Receives a body only if its sender's queue has room for another one. */
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
 * Each message route has its own queues, so that messages of one kind do not wait behind those of another.
 * Routes of the other kinds share their queues.
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
  if (madeFrom !== undefined || turns === 'none') return undefined;
  return turns ?? (body === undefined ? 'question' : 'message');
}

function render(answer: Answer, context: Context): Response {
  if (answer instanceof Response) return answer;
  if (answer.kind === 'kept') return renderKept(answer, context);
  if (answer.ruleId !== undefined) aboutRequest(context).ruleId = answer.ruleId;
  return renderProblem(toldToSigner(answer, context));
}

/** Denies by default: the service does not start if a route has no roles. */
function checkedRoles(route: { roles: readonly Role[] | 'any'; operationId: string }): readonly Role[] {
  const roles = route.roles === 'any' ? everyRole : route.roles;
  assert(roles.length > 0, `${route.operationId} states no roles (SEC-1)`);
  return roles;
}

/** Converts `{name}` to `:name`. Removes the trailing slash, because the app ignores it. */
function toHonoPath(path: string): string {
  return path.replaceAll(/\{([^{}]+)\}/g, ':$1').replace(/(?<=.)\/$/, '');
}

/**
 * Returns the methods, sorted. They come from the router itself, so that 405 answers always agree with the
 * routes.
 */
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
