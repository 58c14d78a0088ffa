import { test } from "uvu";
import * as assert from "uvu/assert";
import { tracingConfig } from "../../backend/src/host/tracing/tracing-config.ts";

const read = (variables: Record<string, string>) => {
  const faults: string[] = [];
  return { config: tracingConfig((name) => variables[name], faults), faults };
};
const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:4318" };
const usual = { url: "http://127.0.0.1:4318/v1/traces", headers: {}, serviceName: "faultline", sampleRatio: 1 };

test("without an endpoint nothing is traced, whatever else is set", () => {
  const others = { OTEL_SERVICE_NAME: "x", OTEL_TRACES_SAMPLER_ARG: "7", OTEL_EXPORTER_OTLP_HEADERS: "=" };
  assert.equal(read(others), { config: undefined, faults: [] });
});

const readings: [claim: string, variables: Record<string, string>, config: Partial<typeof usual>][] = [
  ["the endpoint of all signals gets the path of traces", endpoint, {}],
  ["a slash at its end is no part of it", { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:4318/" }, {}],
  [
    "the endpoint of traces goes before it and is taken as it is",
    { ...endpoint, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "https://collector.example.com/otlp" },
    { url: "https://collector.example.com/otlp" },
  ],
  [
    "headers are pairs with percent-encoded values, and those of traces go before the others",
    {
      ...endpoint,
      OTEL_EXPORTER_OTLP_HEADERS: "authorization=Basic%20YTpi, x-tenant = one",
      OTEL_EXPORTER_OTLP_TRACES_HEADERS: "x-tenant=two==",
    },
    { headers: { authorization: "Basic YTpi", "x-tenant": "two==" } },
  ],
  ["the name of the service can be set", { ...endpoint, OTEL_SERVICE_NAME: "errors" }, { serviceName: "errors" }],
  ["the share of traces can be set", { ...endpoint, OTEL_TRACES_SAMPLER_ARG: "0.25" }, { sampleRatio: 0.25 }],
];
for (const [claim, variables, config] of readings)
  test(claim, () => assert.equal(read(variables), { config: { ...usual, ...config }, faults: [] }));

const refused: [variables: Record<string, string>, fault: RegExp][] = [
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: "collector:4317" }, /^OTEL_EXPORTER_OTLP_ENDPOINT must look like http:/],
  [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "ftp://a" }, /^OTEL_EXPORTER_OTLP_TRACES_ENDPOINT must look like http:/],
  [
    { OTEL_EXPORTER_OTLP_ENDPOINT: "http://me:secret@a" },
    /without a password; credentials go into OTEL_EXPORTER_OTLP_HEADERS$/,
  ],
  [{ ...endpoint, OTEL_EXPORTER_OTLP_HEADERS: "secret" }, /^OTEL_EXPORTER_OTLP_HEADERS must look like/],
  [{ ...endpoint, OTEL_EXPORTER_OTLP_HEADERS: "a=%zz" }, /^OTEL_EXPORTER_OTLP_HEADERS must look like/],
  [{ ...endpoint, OTEL_EXPORTER_OTLP_TRACES_HEADERS: "a=b%0D%0Ac: d" }, /^OTEL_EXPORTER_OTLP_TRACES_HEADERS must/],
  [{ ...endpoint, OTEL_TRACES_SAMPLER_ARG: "2" }, /^OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1$/],
  [{ ...endpoint, OTEL_TRACES_SAMPLER_ARG: "half" }, /^OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1$/],
];
for (const [variables, fault] of refused)
  test(`${Object.entries(variables).at(-1)?.join("=")} is refused without being repeated`, () => {
    const { faults } = read(variables);
    assert.is(faults.length, 1);
    assert.match(faults[0] ?? "", fault);
    assert.not.match(faults[0] ?? "", "secret");
  });

test.run();
