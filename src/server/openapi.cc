#include "server/openapi.h"

#include <cmath>

#include "base/json.h"
#include "base/settings.h"
#include "server/inquiry.h"

namespace fovea {

namespace {

// All that does not come from a table.
constexpr const char* fixed = R"({
"openapi": "3.1.0",
"info": {"title": "Fovea", "version": "", "license": {"name": "Apache-2.0"}},
"paths": {
  "/": {"get": {"summary": "the page", "responses": {"200": {"description": "HTML", "content": {"text/html": {}}}}}},
  "/v1/models": {"get": {"summary": "what is served", "responses": {
    "200": {"description": "models", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Models"}}}}}}},
  "/v1/predict": {"post": {"summary": "answers to lines",
    "requestBody": {"required": true, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/PredictRequest"}}}},
    "responses": {
      "200": {"description": "one for each line", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Answers"}}}},
      "default": {"$ref": "#/components/responses/Refused"}}}},
  "/v1/explain": {"post": {"summary": "answers with what the model looked at",
    "requestBody": {"required": true, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/ExplainRequest"}}}},
    "responses": {
      "200": {"description": "one for each line", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Explanations"}}}},
      "default": {"$ref": "#/components/responses/Refused"}}}},
  "/v1/run": {"get": {"summary": "the events of a run up to now",
    "parameters": [{"name": "model", "in": "query", "schema": {"type": "string"}}],
    "responses": {
      "200": {"description": "events", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Run"}}}},
      "default": {"$ref": "#/components/responses/Refused"}}}},
  "/v1/events": {"get": {"summary": "the events of a run as they happen",
    "parameters": [{"name": "model", "in": "query", "schema": {"type": "string"}},
                   {"name": "Last-Event-ID", "in": "header", "schema": {"type": "string"}}],
    "responses": {
      "200": {"description": "server-sent events", "content": {"text/event-stream": {"schema": {"type": "string"}}}},
      "default": {"$ref": "#/components/responses/Refused"}}}},
  "/healthz": {"get": {"summary": "whether it answers", "responses": {
    "200": {"description": "it does", "content": {"application/json": {"schema": {"type": "object"}}}}}}},
  "/metrics": {"get": {"summary": "counts and times for Prometheus", "responses": {
    "200": {"description": "metrics", "content": {"text/plain": {"schema": {"type": "string"}}}}}}},
  "/openapi.json": {"get": {"summary": "this", "responses": {
    "200": {"description": "OpenAPI", "content": {"application/json": {"schema": {"type": "object"}}}}}}}
},
"components": {
  "responses": {"Refused": {"description": "refused", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}}},
  "schemas": {
    "PredictRequest": {},
    "ExplainRequest": {},
    "Hypothesis": {"type": "object", "properties": {
      "text": {"type": "string"}, "score": {"type": ["number", "null"]}, "finished": {"type": "boolean"}}},
    "Answer": {"type": "object", "required": ["text", "score", "finished", "status"], "properties": {
      "text": {"type": "string"}, "score": {"type": ["number", "null"]}, "finished": {"type": "boolean"},
      "abstained": {"type": "boolean"}, "problem": {"type": "string"}, "unknown_feature": {"type": "string"},
      "status": {"type": "string", "enum": ["answered", "empty", "too_long", "too_few_columns", "unreadable"]},
      "nbest": {"type": "array", "items": {"$ref": "#/components/schemas/Hypothesis"}}}},
    "Answers": {"type": "object", "required": ["model", "answers"], "properties": {
      "model": {"type": "string"}, "answers": {"type": "array", "items": {"$ref": "#/components/schemas/Answer"}}}},
    "Explanations": {"type": "object", "required": ["model", "explanations"], "properties": {
      "model": {"type": "string"}, "explanations": {"type": "array", "items": {"type": "object"}}}},
    "Models": {"type": "object", "properties": {"models": {"type": "array", "items": {"type": "object"}}}},
    "Run": {"type": "object", "properties": {
      "name": {"type": "string"}, "live": {"type": "boolean"}, "events": {"type": "array", "items": {"type": "object"}}}},
    "Error": {"type": "object", "required": ["error"], "properties": {"error": {"type": "object", "properties": {
      "code": {"type": "integer"}, "message": {"type": "string"}}}}}
  }
}})";

constexpr const char* fixed_request = R"({
"type": "object", "additionalProperties": false, "oneOf": [{"required": ["lines"]}, {"required": ["text"]}],
"properties": {
  "model": {"type": "string", "description": "which of several; without it the first"},
  "lines": {"type": "array", "items": {"type": "string"}},
  "text": {"type": "string", "description": "one line, instead of lines"}
}})";

template <class Number>
void add_number(const Field& field, const char* type, Number value, OrderedJson& schema) {
  schema["type"] = type;
  if (std::isfinite(field.rule.low)) schema["minimum"] = static_cast<Number>(field.rule.low);
  if (std::isfinite(field.rule.high)) schema["maximum"] = static_cast<Number>(field.rule.high);
  schema["default"] = value;
}

void add_field(const Field& field, OrderedJson& schema) {
  const auto add = [&](const auto* value) {
    using T = std::remove_cvref_t<decltype(*value)>;
    if constexpr (std::is_same_v<T, bool>) {
      schema["type"] = "boolean";
      schema["default"] = *value;
    } else if constexpr (std::is_integral_v<T>) {
      add_number(field, "integer", static_cast<std::int64_t>(*value), schema);
    } else if constexpr (std::is_floating_point_v<T>) {
      add_number(field, "number", *value, schema);
    } else if constexpr (std::is_same_v<T, std::vector<std::string>>) {
      schema["type"] = "array";
      schema["items"]["type"] = "string";
    } else {
      schema["type"] = "string";
    }
  };
  std::visit(add, field.value);
  if (!field.rule.names.empty() && field.rule.check == nullptr) schema["enum"] = field.rule.names;
  schema["description"] = field.help;
}

OrderedJson request_schema(bool explain) {
  const InquiryLimits limits;
  AskedOptions options;
  options.explain = explain;
  OrderedJson schema = OrderedJson::parse(fixed_request);
  OrderedJson& properties = schema["properties"];
  properties["lines"]["maxItems"] = explain ? limits.explained : limits.lines;
  for (const Field& field : asked_fields(options)) add_field(field, properties[field.name]);
  if (explain) properties["nbest"].erase("default");  // as many as the beam has
  return schema;
}

}  // namespace

std::string openapi_text() {
  OrderedJson document = OrderedJson::parse(fixed);
  document["info"]["version"] = FOVEA_VERSION;
  document["components"]["schemas"]["PredictRequest"] = request_schema(false);
  document["components"]["schemas"]["ExplainRequest"] = request_schema(true);
  return json_text(document);
}

}  // namespace fovea
