/**
 * Generated from the OpenAPI document: `npm run generate -- client`. A test compares it with what would be
 * generated.
 */

/** A path has the methods that it names and no others. */
type Only<T> = T & { [Method in Exclude<AnyMethod, keyof T>]?: never };
type AnyMethod = 'get' | 'put' | 'post' | 'delete' | 'options' | 'head' | 'patch' | 'trace';
/** A problem document with one of these codes. */
type Refused<Code> = {
  headers: { [name: string]: unknown };
  content: { 'application/problem+json': components['schemas']['Problem'] & { code: Code } };
};

export interface components {
  schemas: {
    /** An error as a problem document (RFC 9457). */
    Problem: {
      type: string;
      title: string;
      status: number;
      /** What is wrong and how to fix it. */
      detail: string;
      /** Machine-readable code: the last part of `type`. */
      code: string;
      /** Id of the request, also in the header `Request-Id`. */
      request_id: string;
      /** One entry for each invalid field of the body. */
      errors?: {
        /** RFC 6901 pointer into the body. */
        pointer: string;
        code: string;
        detail: string;
      }[];
    };
    ConversationStartedEvent: {
      /** Id of the event, `evt_…`. Use it to detect repeated deliveries. */
      id: string;
      type: 'conversation.started';
      /** Unix seconds. */
      created: number;
      data: {
        /** Id of the conversation, `conv_…`. */
        conversation_id: string;
        /** Id of the agent, `agt_…`. */
        agent_id: string;
        /** Number of the agent version. */
        agent_version: number;
        channel: ('chat' | 'voice' | 'sms' | 'web_voice');
        /** Arm of the conversation in a rollout: `from` for the old version, `to` for the new one. Absent if it takes no part in one. */
        rollout?: {
          id: string;
          arm: ('from' | 'to');
          weight: number;
        };
        /** Your id of the user. */
        user_id?: string;
        /** Metadata of the conversation. Absent if it is empty. */
        metadata?: { [name: string]: string };
        /** Id of the call, `call_…`. Absent without a call. */
        call_id?: string;
      };
    };
    ConversationEndedEvent: {
      /** Id of the event, `evt_…`. Use it to detect repeated deliveries. */
      id: string;
      type: 'conversation.ended';
      /** Unix seconds. */
      created: number;
      data: {
        /** Id of the conversation, `conv_…`. */
        conversation_id: string;
        /** Id of the agent, `agt_…`. */
        agent_id: string;
        channel: ('chat' | 'voice' | 'sms' | 'web_voice');
        duration_sec: number;
        outcome: ('resolved' | 'unresolved' | 'escalated' | 'abandoned' | 'voicemail' | 'failed' | 'unknown');
        /** Predicted satisfaction, 1.0 to 5.0. */
        csat_predicted: number;
        transcript_url: string;
        /** Number of the agent version. */
        agent_version: number;
        ended_reason: string;
        /** Your id of the user. */
        user_id?: string;
        /** Metadata of the conversation. Absent if it is empty. */
        metadata?: { [name: string]: string };
        /** Id of the call, `call_…`. Absent without a call. */
        call_id?: string;
      };
    };
    ConversationTranscriptReadyEvent: {
      /** Id of the event, `evt_…`. Use it to detect repeated deliveries. */
      id: string;
      type: 'conversation.transcript.ready';
      /** Unix seconds. */
      created: number;
      data: {
        /** Id of the conversation, `conv_…`. */
        conversation_id: string;
        /** Id of the agent, `agt_…`. */
        agent_id: string;
        /** Number of the agent version. */
        agent_version: number;
        transcript_url: string;
        summary: string;
        turns: number;
        outcome: ('resolved' | 'unresolved' | 'escalated' | 'abandoned' | 'voicemail' | 'failed' | 'unknown');
        /** Predicted satisfaction, 1.0 to 5.0. */
        csat_predicted: number;
        /** The model's judgement, if a model determined the summary, the outcome and the predicted satisfaction. */
        judgement?: {
          provider: string;
          model: string;
          topics: string[];
          open_questions: string[];
          by_rule: {
            summary: string;
            outcome: ('resolved' | 'unresolved' | 'escalated' | 'abandoned' | 'voicemail' | 'failed' | 'unknown');
            /** Predicted satisfaction, 1.0 to 5.0. */
            csat_predicted: number;
          };
        };
        /** Your id of the user. */
        user_id?: string;
        /** Metadata of the conversation. Absent if it is empty. */
        metadata?: { [name: string]: string };
        /** Id of the call, `call_…`. Absent without a call. */
        call_id?: string;
        channel?: ('chat' | 'voice' | 'sms' | 'web_voice');
      };
    };
    EscalationRequestedEvent: {
      /** Id of the event, `evt_…`. Use it to detect repeated deliveries. */
      id: string;
      type: 'escalation.requested';
      /** Unix seconds. */
      created: number;
      data: {
        escalation_id: string;
        /** Id of the conversation, `conv_…`. */
        conversation_id: string;
        /** Id of the agent, `agt_…`. */
        agent_id: string;
        reason: string;
        summary: string;
        /** Label of the people who are requested. */
        team?: string;
        /** Person who had accepted the escalation and released it or stopped responding. Present if another person is requested. */
        released_by?: {
          id: string;
          name: string;
        };
        /** Your id of the user. */
        user_id?: string;
        /** Metadata of the conversation. Absent if it is empty. */
        metadata?: { [name: string]: string };
        /** Id of the call, `call_…`. Absent without a call. */
        call_id?: string;
        channel?: ('chat' | 'voice' | 'sms' | 'web_voice');
      };
    };
    EscalationAcceptedEvent: {
      /** Id of the event, `evt_…`. Use it to detect repeated deliveries. */
      id: string;
      type: 'escalation.accepted';
      /** Unix seconds. */
      created: number;
      data: {
        escalation_id: string;
        /** Id of the conversation, `conv_…`. */
        conversation_id: string;
        /** Id of the agent, `agt_…`. */
        agent_id: string;
        accepted_by: {
          id: string;
          name: string;
        };
        wait_sec: number;
        /** Your id of the user. */
        user_id?: string;
        /** Metadata of the conversation. Absent if it is empty. */
        metadata?: { [name: string]: string };
        /** Id of the call, `call_…`. Absent without a call. */
        call_id?: string;
        channel?: ('chat' | 'voice' | 'sms' | 'web_voice');
      };
    };
    KnowledgeGapDetectedEvent: {
      /** Id of the event, `evt_…`. Use it to detect repeated deliveries. */
      id: string;
      type: 'knowledge.gap.detected';
      /** Unix seconds. */
      created: number;
      data: {
        gap_id: string;
        /** Id of the conversation, `conv_…`. */
        conversation_id: string;
        /** Id of the agent, `agt_…`. */
        agent_id: string;
        question: string;
        top_score: number;
        /** Your id of the user. */
        user_id?: string;
        /** Metadata of the conversation. Absent if it is empty. */
        metadata?: { [name: string]: string };
        /** Id of the call, `call_…`. Absent without a call. */
        call_id?: string;
        channel?: ('chat' | 'voice' | 'sms' | 'web_voice');
      };
    };
    KnowledgeSourceSyncedEvent: {
      /** Id of the event, `evt_…`. Use it to detect repeated deliveries. */
      id: string;
      type: 'knowledge.source.synced';
      /** Unix seconds. */
      created: number;
      data: {
        source_id: string;
        source_type: ('website' | 'file' | 'text' | 'integration');
        name: string;
        status: string;
        documents: number;
        added: number;
        updated: number;
        removed: number;
        failed: number;
        duration_sec: number;
      };
    };
    AgentPublishedEvent: {
      /** Id of the event, `evt_…`. Use it to detect repeated deliveries. */
      id: string;
      type: 'agent.published';
      /** Unix seconds. */
      created: number;
      data: {
        /** Id of the agent, `agt_…`. */
        agent_id: string;
        name: string;
        /** Number of the agent version. */
        version: number;
        /** Version that was live before. Null for the first activation. */
        previous_version: (number | null);
        actor: string;
      };
    };
    AgentRolledBackEvent: {
      /** Id of the event, `evt_…`. Use it to detect repeated deliveries. */
      id: string;
      type: 'agent.rolled_back';
      /** Unix seconds. */
      created: number;
      data: {
        /** Id of the agent, `agt_…`. */
        agent_id: string;
        name: string;
        /** Number of the agent version. */
        version: number;
        /** Number of the agent version. */
        from_version: number;
        actor: string;
        reason: (string | null);
        /** The rollout that was aborted, with the figures of both versions. `evidence` is null if a declaration aborted it. */
        rollout?: {
          id: string;
          step: number;
          weight: number;
          evidence: ({ [name: string]: unknown } | null);
        };
      };
    };
    /** An agent: its declared fields and its state. */
    Agent: {
      /** Id of the agent, `agt_…`. */
      id: string;
      /** Creation time in Unix seconds. */
      created: number;
      /** Time of the last change in Unix seconds. */
      updated: number;
      /** DNS label. It never changes. */
      name: string;
      /** Name shown to people. */
      display_name: (string | null);
      /** Instructions that the agent follows. */
      prompt: (string | null);
      /** Voice of the agent: text to speech. */
      voice: ({
        /** Speech provider (TTS): a ModelProvider with speech in the same namespace, or a provider that the carrier supports. */
        provider?: string;
        /** Speech model. Defaults to the provider's default model. */
        model?: string;
        /** The provider's id of the voice. */
        voice_id?: string;
        /** BCP 47 tag of the spoken language, such as en-GB. Must be a language tag, such as en or pt-BR. */
        language?: string;
        /** Speed of the speech. 1 is the normal speed. */
        speed?: number;
        /** Fallbacks in order of preference, used when the first provider fails. */
        fallback?: {
          /** Provider of the fallback. Defaults to the provider of the voice. */
          provider?: string;
          /** Speech model. Defaults to the provider's default model. */
          model?: string;
          /** The provider's id of the voice. Defaults to the voice of the agent if the provider is the same, otherwise to the provider's default voice. */
          voice_id?: string;
        }[];
      } | null);
      /** How the agent hears users: speech to text. */
      transcriber: ({
        /** Transcription provider (STT): a ModelProvider with transcription in the same namespace, or a provider that the carrier supports. */
        provider?: string;
        /** Transcription model. Defaults to the provider's default model. */
        model?: string;
        /** BCP 47 tag of the language that users speak, such as en-GB. Must be a language tag, such as en or pt-BR. */
        language?: string;
        /** Names and words that users are likely to say and that are hard to recognize. */
        keywords?: string[];
        /** If true, the transcriber finds the last word that was played before an interruption: it also transcribes the agent's interrupted sentence, in two requests. If false, that position is estimated from the audio. Default: false. */
        retranscribe_interrupted?: boolean;
        /** Fallbacks in order of preference, used when the first provider fails. */
        fallback?: {
          /** Provider of the fallback. Defaults to the provider of the transcriber. */
          provider?: string;
          /** Transcription model. Defaults to the provider's default model. */
          model?: string;
        }[];
      } | null);
      /** Tools that the agent can use. */
      tools: ({
        /** Type of the tool, which determines what happens when the agent uses it. */
        type: ('webhook' | 'end_call' | 'transfer_call' | 'knowledge_search' | 'handoff');
        /** Name by which the model calls the tool. Unique within the agent. Must contain only letters, digits, underscores and hyphens, and begin with a letter or an underscore. */
        name: string;
        /** Explains to the model when to use the tool. */
        description?: string;
        /** JSON Schema of the arguments that the model fills in; at most 64 KiB, 2000 members and elements, 64 deep. */
        parameters?: { [name: string]: unknown };
        /** Address that a webhook tool calls. Must be an http or https URL in ASCII, such as https://example.com/hook, without user and password. */
        url?: string;
        /** HTTP method of a webhook tool. Default: POST. */
        method?: ('GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE');
        /** Extra headers of the request. */
        headers?: { [name: string]: string };
        /** Secret that is sent as a bearer token. It must carry the label parley.dev/allow: "true". */
        secret_ref?: {
          /** Name of the Secret, in the same namespace. Must be a DNS name: lower-case letters, digits, hyphens and dots, a letter or digit at both ends. */
          name: string;
          /** Key inside the Secret. Must consist of letters, digits, dots, hyphens and underscores. */
          key: string;
        };
        /** Secret that signs the requests, in the same way as events. It must carry the label parley.dev/allow: "true". */
        signing_secret_ref?: {
          /** Name of the Secret, in the same namespace. Must be a DNS name: lower-case letters, digits, hyphens and dots, a letter or digit at both ends. */
          name: string;
          /** Key inside the Secret. Must consist of letters, digits, dots, hyphens and underscores. */
          key: string;
        };
        /** Maximum wait for the whole response, in milliseconds. Default: 8000. */
        timeout_ms?: number;
        /** Agent in the same namespace to which a handoff tool gives the conversation. Must be a DNS label: at most 63 lower-case letters, digits and hyphens, without a hyphen at either end. */
        agent?: string;
        /** Version of that agent. If absent, the version that is active when this agent's version goes live. */
        version?: number;
      }[] | null);
      /** First message of the agent. */
      first_message: (string | null);
      /** Whether the user can interrupt the first message in a call. Default: true. */
      first_message_interruptible: (boolean | null);
      /** BCP 47 tag of the language, such as en-GB. Must be a language tag, such as en or pt-BR. */
      language: (string | null);
      /** The language model and its settings. */
      model: ({
        /** ModelProvider in the same namespace. If absent or `default`, the provider of the operator's settings. Must be a DNS label: at most 63 lower-case letters, digits and hyphens, without a hyphen at either end. */
        provider?: string;
        /** Name of the model. Defaults to the provider's default model. */
        name?: string;
        /** Sampling temperature. */
        temperature?: number;
        /** Maximum number of tokens in one reply. */
        max_tokens?: number;
        /** Fallback models in order of preference, used when the first model cannot answer. */
        fallback?: {
          /** ModelProvider in the same namespace. If absent or `default`, the provider of the operator's settings. Must be a DNS label: at most 63 lower-case letters, digits and hyphens, without a hyphen at either end. */
          provider?: string;
          /** Name of the model. Defaults to the provider's default model. */
          name?: string;
        }[];
      } | null);
      /** Knowledge from which the agent answers. */
      knowledge: ({
        /** Answers from every knowledge source of the namespace, including future ones. */
        all?: boolean;
        /** Answers from the knowledge sources of the namespace whose metadata matches. */
        selector?: {
          /** Pairs that the metadata of a source must contain. */
          match_metadata: { [name: string]: string };
        };
        /** Ids of the knowledge sources to answer from. */
        source_ids?: string[];
        /** Names of the knowledge sources to answer from, in the same namespace. */
        source_names?: string[];
        /** Maximum number of passages given to a reply. */
        top_k?: number;
        /** Minimum score of a passage. If no passage reaches it, the question is a knowledge gap. */
        min_score?: number;
      } | null);
      /** When and how a human takes over. */
      escalation: ({
        /** Rules that request a human. */
        rules?: {
          /** Condition that requests a human. */
          when: ('user_request' | 'keyword' | 'tool_failure' | 'low_confidence' | 'mood' | 'turn_limit');
          /** Words of the user that request a human. Required with `keyword`. */
          keywords?: string[];
          /** Number of consecutive occurrences, for tool_failure, low_confidence and mood. For turn_limit, the number of user messages. */
          count?: number;
          /** Reason shown with the escalation. */
          reason?: string;
          /** Team to request for this rule, instead of the team of the escalation. */
          team?: string;
        }[];
        /** How long to wait for a human to accept, in seconds. */
        timeout_sec?: number;
        /** Label of the people to request, such as a team, a skill or a language. */
        team?: string;
        /** Team to request next if nobody accepts in time. If absent, the agent continues. */
        fallback_team?: string;
        /** Telephone number to ring when a human is requested during a telephone call. If absent, people write or speak through the API. */
        telephone?: {
          /** Telephone number in E.164, such as +442071838750. Must be a phone number such as +442071838750: a plus sign and 7 to 15 digits. */
          to: string;
        };
        /** Working hours of the people. If absent, people are always available. */
        hours?: {
          /** IANA name of the time zone, such as Europe/Berlin. Must be an IANA time zone name, such as Europe/Berlin. */
          time_zone: string;
          /** Periods in which people are available, on each of the listed days. */
          open: {
            /** Days of the week. */
            days: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[];
            /** Start of the period, such as 09:00. Must be a time from 00:00 to 24:00, such as 09:30. */
            from: string;
            /** End of the period, exclusive, such as 17:30. 24:00 is the end of the day. Must be a time from 00:00 to 24:00, such as 09:30. */
            to: string;
          }[];
          /** Dates on which nobody is available. */
          closed_on?: string[];
          /** Text for the user when nobody is available. {{opens}} is replaced by the time at which somebody is available again. */
          closed_message?: string;
        };
      } | null);
      /** Limits after which a conversation ends. */
      limits: ({
        /** Maximum duration of a conversation in seconds. It then ends. */
        max_duration_sec?: number;
        /** Maximum silence of the user in seconds. The conversation then ends. */
        silence_timeout_sec?: number;
      } | null);
      /** Kinds of sensitive data to remove from what users write and say, before it is stored or read. */
      redaction: (('card' | 'email' | 'phone' | 'iban')[] | null);
      /** How an ended conversation is judged. */
      judgement: ({
        /** How to judge. `rule` (the default): a rule that uses counted data. `model`: a language model in addition to the rule. */
        by: ('rule' | 'model');
        /** Model that judges. Defaults to the agent's own model. */
        model?: {
          /** ModelProvider in the same namespace. If absent or `default`, the default provider. Must be a DNS label: at most 63 lower-case letters, digits and hyphens, without a hyphen at either end. */
          provider?: string;
          /** Name of the model. Defaults to the provider's default model. */
          name?: string;
        };
        /** Possible topics of a conversation. If absent, the model names the topics itself. */
        topics?: string[];
      } | null);
      metadata: { [name: string]: string };
      /** Web pages that may talk with the agent. If absent, none may. */
      widget: ({
        /** Origins of the web pages that may talk with the agent, such as https://shop.example.com, capacitor://localhost or https://*.preview.example.com. */
        allowed_origins: string[];
        /** Maximum number of concurrent talks by voice. Also the maximum number of new talks of each mode per minute from one IP address. Default: 100. */
        max_concurrent?: number;
      } | null);
      publish_policy: ('automatic' | 'manual' | 'progressive');
      /** Steps and checks of the policy `progressive`. */
      rollout: ({
        /** Steps of the rollout. Their weights rise; after the last one the version is live. */
        steps: {
          /** Share of new conversations that the new version gets, in percent. */
          weight: number;
          /** Conversations of the new version that must have ended before the next step. */
          min_conversations: number;
        }[];
        /** Longest time of a step, such as 90m, 72h or 7d. The rollout is then held. Default: 72h. Must be a number of minutes, hours or days: 72h. */
        max_duration?: string;
        /** Figures in which the new version must not be worse. */
        checks: {
          /** Figure in which the two versions are compared. */
          metric: ('escalation_rate' | 'resolution_rate' | 'gap_rate' | 'unanswered_rate' | 'tool_failure_rate' | 'csat_average' | 'turn_latency_p95_ms');
          /** Difference from which the new version counts as worse, in the unit of the metric. */
          worse_by: number;
        }[];
        /** Webhook that confirms each next step, and the end of the rollout. */
        confirm?: {
          /** Address of the webhook, which answers confirm, hold or abort. Must be an http or https URL in ASCII, such as https://example.com/hook, without user and password. */
          url: string;
          /** Secret that signs the requests, in the same way as events. It must carry the label parley.dev/allow: "true". */
          signing_secret_ref: {
            /** Name of the Secret, in the same namespace. Must be a DNS name: lower-case letters, digits, hyphens and dots, a letter or digit at both ends. */
            name: string;
            /** Key inside the Secret. Must consist of letters, digits, dots, hyphens and underscores. */
            key: string;
          };
          /** Maximum wait for the whole answer, in milliseconds. Default: 8000. */
          timeout_ms?: number;
        };
        /** What happens if the new version is worse. Default: abort. */
        on_fail?: ('abort' | 'hold');
        /** `keep` (the default): conversations in progress keep the new version after an abort. `escalate`: Parley also requests a human for each conversation. */
        on_abort?: ('keep' | 'escalate');
      } | null);
      /** The version that is live. Null if none was ever published. */
      active_version: (number | null);
      latest_version: (number | null);
      pinned_version: (number | null);
      /** The activation that made this version live. Null if no version is live. */
      activation: ({
        /** `rolled_back` if the version number goes down, otherwise `published`. */
        action: ('published' | 'rolled_back');
        from_version: (number | null);
        actor: string;
        reason: (string | null);
        /** Unix seconds. */
        at: number;
      } | null);
      managed_by: ('api' | 'kubernetes' | 'file');
      /** Whether the agent is active as declared. */
      ready: boolean;
      status_message: (string | null);
      status: {
        ready: boolean;
        reason: string;
        message: string;
      };
    };
    /** A version: immutable content with a number that never changes. */
    AgentVersion: {
      version: number;
      /** Lower-case hex SHA-256 of the content. */
      content_hash: string;
      content: {
        /** Instructions that the agent follows. */
        prompt?: string;
        /** Voice of the agent: text to speech. */
        voice?: {
          /** Speech provider (TTS): a ModelProvider with speech in the same namespace, or a provider that the carrier supports. */
          provider?: string;
          /** Speech model. Defaults to the provider's default model. */
          model?: string;
          /** The provider's id of the voice. */
          voice_id?: string;
          /** BCP 47 tag of the spoken language, such as en-GB. Must be a language tag, such as en or pt-BR. */
          language?: string;
          /** Speed of the speech. 1 is the normal speed. */
          speed?: number;
          /** Fallbacks in order of preference, used when the first provider fails. */
          fallback?: {
            /** Provider of the fallback. Defaults to the provider of the voice. */
            provider?: string;
            /** Speech model. Defaults to the provider's default model. */
            model?: string;
            /** The provider's id of the voice. Defaults to the voice of the agent if the provider is the same, otherwise to the provider's default voice. */
            voice_id?: string;
          }[];
        };
        /** How the agent hears users: speech to text. */
        transcriber?: {
          /** Transcription provider (STT): a ModelProvider with transcription in the same namespace, or a provider that the carrier supports. */
          provider?: string;
          /** Transcription model. Defaults to the provider's default model. */
          model?: string;
          /** BCP 47 tag of the language that users speak, such as en-GB. Must be a language tag, such as en or pt-BR. */
          language?: string;
          /** Names and words that users are likely to say and that are hard to recognize. */
          keywords?: string[];
          /** If true, the transcriber finds the last word that was played before an interruption: it also transcribes the agent's interrupted sentence, in two requests. If false, that position is estimated from the audio. Default: false. */
          retranscribe_interrupted?: boolean;
          /** Fallbacks in order of preference, used when the first provider fails. */
          fallback?: {
            /** Provider of the fallback. Defaults to the provider of the transcriber. */
            provider?: string;
            /** Transcription model. Defaults to the provider's default model. */
            model?: string;
          }[];
        };
        /** Tools that the agent can use. */
        tools?: {
          /** Type of the tool, which determines what happens when the agent uses it. */
          type: ('webhook' | 'end_call' | 'transfer_call' | 'knowledge_search' | 'handoff');
          /** Name by which the model calls the tool. Unique within the agent. Must contain only letters, digits, underscores and hyphens, and begin with a letter or an underscore. */
          name: string;
          /** Explains to the model when to use the tool. */
          description?: string;
          /** JSON Schema of the arguments that the model fills in; at most 64 KiB, 2000 members and elements, 64 deep. */
          parameters?: { [name: string]: unknown };
          /** Address that a webhook tool calls. Must be an http or https URL in ASCII, such as https://example.com/hook, without user and password. */
          url?: string;
          /** HTTP method of a webhook tool. Default: POST. */
          method?: ('GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE');
          /** Extra headers of the request. */
          headers?: { [name: string]: string };
          /** Secret that is sent as a bearer token. It must carry the label parley.dev/allow: "true". */
          secret_ref?: {
            /** Name of the Secret, in the same namespace. Must be a DNS name: lower-case letters, digits, hyphens and dots, a letter or digit at both ends. */
            name: string;
            /** Key inside the Secret. Must consist of letters, digits, dots, hyphens and underscores. */
            key: string;
          };
          /** Secret that signs the requests, in the same way as events. It must carry the label parley.dev/allow: "true". */
          signing_secret_ref?: {
            /** Name of the Secret, in the same namespace. Must be a DNS name: lower-case letters, digits, hyphens and dots, a letter or digit at both ends. */
            name: string;
            /** Key inside the Secret. Must consist of letters, digits, dots, hyphens and underscores. */
            key: string;
          };
          /** Maximum wait for the whole response, in milliseconds. Default: 8000. */
          timeout_ms?: number;
          /** Agent in the same namespace to which a handoff tool gives the conversation. Must be a DNS label: at most 63 lower-case letters, digits and hyphens, without a hyphen at either end. */
          agent?: string;
          /** Version of that agent. If absent, the version that is active when this agent's version goes live. */
          version?: number;
        }[];
        /** First message of the agent. */
        first_message?: string;
        /** Whether the user can interrupt the first message in a call. Default: true. */
        first_message_interruptible?: boolean;
        /** BCP 47 tag of the language, such as en-GB. Must be a language tag, such as en or pt-BR. */
        language?: string;
        /** The language model and its settings. */
        model?: {
          /** ModelProvider in the same namespace. If absent or `default`, the provider of the operator's settings. Must be a DNS label: at most 63 lower-case letters, digits and hyphens, without a hyphen at either end. */
          provider?: string;
          /** Name of the model. Defaults to the provider's default model. */
          name?: string;
          /** Sampling temperature. */
          temperature?: number;
          /** Maximum number of tokens in one reply. */
          max_tokens?: number;
          /** Fallback models in order of preference, used when the first model cannot answer. */
          fallback?: {
            /** ModelProvider in the same namespace. If absent or `default`, the provider of the operator's settings. Must be a DNS label: at most 63 lower-case letters, digits and hyphens, without a hyphen at either end. */
            provider?: string;
            /** Name of the model. Defaults to the provider's default model. */
            name?: string;
          }[];
        };
        /** Knowledge from which the agent answers. */
        knowledge?: {
          /** Answers from every knowledge source of the namespace, including future ones. */
          all?: boolean;
          /** Answers from the knowledge sources of the namespace whose metadata matches. */
          selector?: {
            /** Pairs that the metadata of a source must contain. */
            match_metadata: { [name: string]: string };
          };
          /** Ids of the knowledge sources to answer from. */
          source_ids?: string[];
          /** Names of the knowledge sources to answer from, in the same namespace. */
          source_names?: string[];
          /** Maximum number of passages given to a reply. */
          top_k?: number;
          /** Minimum score of a passage. If no passage reaches it, the question is a knowledge gap. */
          min_score?: number;
        };
        /** When and how a human takes over. */
        escalation?: {
          /** Rules that request a human. */
          rules?: {
            /** Condition that requests a human. */
            when: ('user_request' | 'keyword' | 'tool_failure' | 'low_confidence' | 'mood' | 'turn_limit');
            /** Words of the user that request a human. Required with `keyword`. */
            keywords?: string[];
            /** Number of consecutive occurrences, for tool_failure, low_confidence and mood. For turn_limit, the number of user messages. */
            count?: number;
            /** Reason shown with the escalation. */
            reason?: string;
            /** Team to request for this rule, instead of the team of the escalation. */
            team?: string;
          }[];
          /** How long to wait for a human to accept, in seconds. */
          timeout_sec?: number;
          /** Label of the people to request, such as a team, a skill or a language. */
          team?: string;
          /** Team to request next if nobody accepts in time. If absent, the agent continues. */
          fallback_team?: string;
          /** Telephone number to ring when a human is requested during a telephone call. If absent, people write or speak through the API. */
          telephone?: {
            /** Telephone number in E.164, such as +442071838750. Must be a phone number such as +442071838750: a plus sign and 7 to 15 digits. */
            to: string;
          };
          /** Working hours of the people. If absent, people are always available. */
          hours?: {
            /** IANA name of the time zone, such as Europe/Berlin. Must be an IANA time zone name, such as Europe/Berlin. */
            time_zone: string;
            /** Periods in which people are available, on each of the listed days. */
            open: {
              /** Days of the week. */
              days: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[];
              /** Start of the period, such as 09:00. Must be a time from 00:00 to 24:00, such as 09:30. */
              from: string;
              /** End of the period, exclusive, such as 17:30. 24:00 is the end of the day. Must be a time from 00:00 to 24:00, such as 09:30. */
              to: string;
            }[];
            /** Dates on which nobody is available. */
            closed_on?: string[];
            /** Text for the user when nobody is available. {{opens}} is replaced by the time at which somebody is available again. */
            closed_message?: string;
          };
        };
        /** Limits after which a conversation ends. */
        limits?: {
          /** Maximum duration of a conversation in seconds. It then ends. */
          max_duration_sec?: number;
          /** Maximum silence of the user in seconds. The conversation then ends. */
          silence_timeout_sec?: number;
        };
        /** Kinds of sensitive data to remove from what users write and say, before it is stored or read. */
        redaction?: ('card' | 'email' | 'phone' | 'iban')[];
        /** How an ended conversation is judged. */
        judgement?: {
          /** How to judge. `rule` (the default): a rule that uses counted data. `model`: a language model in addition to the rule. */
          by: ('rule' | 'model');
          /** Model that judges. Defaults to the agent's own model. */
          model?: {
            /** ModelProvider in the same namespace. If absent or `default`, the default provider. Must be a DNS label: at most 63 lower-case letters, digits and hyphens, without a hyphen at either end. */
            provider?: string;
            /** Name of the model. Defaults to the provider's default model. */
            name?: string;
          };
          /** Possible topics of a conversation. If absent, the model names the topics itself. */
          topics?: string[];
        };
      };
      /** Creation time in Unix seconds. */
      created: number;
      /** Actor that created the version: `api:key_…`, `session:<name>`, `kubernetes:<manager>` or `file`. */
      created_by: string;
      /** Time of its first recall in Unix seconds. Null: it was not recalled. */
      recalled_at: (number | null);
    };
    /** Changes between two versions. A value that exists in one version only is null in the other. */
    VersionDiff: {
      from: number;
      to: number;
      changes: {
        /** RFC 6901 pointer into the content. Tools are identified by name. */
        path: string;
        before?: unknown;
        after?: unknown;
      }[];
    };
    /** An entry of the append-only log of activations. */
    Activation: {
      /** `rolled_back` if the version number goes down, otherwise `published`. */
      action: ('published' | 'rolled_back');
      from_version: (number | null);
      to_version: number;
      actor: string;
      reason: (string | null);
      /** Targets of the version's handoffs. `version` is null if the target had no active version; its first active version is then used. */
      handoffs: {
        tool: string;
        agent: string;
        agent_id: (string | null);
        version: (number | null);
      }[];
      /** Unix seconds. */
      at: number;
    };
    /** The rollout in progress, or the last one. */
    Rollout: {
      /** Id of the rollout, `ro_…`. */
      rollout_id: string;
      /** Number of the step, from 1. */
      step: number;
      /** Share of the new version, in percent. */
      weight: number;
      from_version: number;
      to_version: number;
      actor: string;
      reason: (string | null);
      /** Unix seconds. */
      at: number;
      status: ('progressing' | 'holding' | 'completed' | 'aborted');
      /** Number of steps. */
      steps: number;
      /** Conversations of the old version that have ended. */
      from: {
        conversations: number;
      };
      /** Conversations of the new version that have ended. */
      to: {
        conversations: number;
      };
      checks: {
        metric: ('escalation_rate' | 'resolution_rate' | 'gap_rate' | 'unanswered_rate' | 'tool_failure_rate' | 'csat_average' | 'turn_latency_p95_ms');
        worse_by: number;
        /** Figure of the old version; null for a percentile. */
        from: (number | null);
        /** Figure of the new version; null for a percentile. */
        to: (number | null);
        /** New minus old, each step compared within itself. Null without data. */
        difference: (number | null);
        /** Lower bound of the difference. Null if it is unknown. */
        low: (number | null);
        /** Upper bound of the difference. Null if it is unknown. */
        high: (number | null);
        verdict: ('worse' | 'passed' | 'undecided');
      }[];
      /** Conversations of the new version that have ended in this step. */
      conversations: number;
      /** Conversations that this step needs. */
      min_conversations: number;
    };
    /** An entry of the append-only log of rollouts. */
    RolloutAct: {
      /** Id of the rollout, `ro_…`. */
      rollout_id: string;
      /** Number of the step, from 1. */
      step: number;
      /** Share of the new version, in percent. */
      weight: number;
      from_version: number;
      to_version: number;
      actor: string;
      reason: (string | null);
      /** Unix seconds. */
      at: number;
      action: ('started' | 'advanced' | 'held' | 'resumed' | 'completed' | 'aborted');
      /** Figures when the rollout was changed. Null for a declaration. */
      evidence: ({
        /** Conversations of the old version that have ended. */
        from: {
          conversations: number;
        };
        /** Conversations of the new version that have ended. */
        to: {
          conversations: number;
        };
        checks: {
          metric: ('escalation_rate' | 'resolution_rate' | 'gap_rate' | 'unanswered_rate' | 'tool_failure_rate' | 'csat_average' | 'turn_latency_p95_ms');
          worse_by: number;
          /** Figure of the old version; null for a percentile. */
          from: (number | null);
          /** Figure of the new version; null for a percentile. */
          to: (number | null);
          /** New minus old, each step compared within itself. Null without data. */
          difference: (number | null);
          /** Lower bound of the difference. Null if it is unknown. */
          low: (number | null);
          /** Upper bound of the difference. Null if it is unknown. */
          high: (number | null);
          verdict: ('worse' | 'passed' | 'undecided');
        }[];
      } | null);
    };
    /** A recall of versions. */
    Recall: {
      id: string;
      agent_id: string;
      /** The versions that never go live again. */
      versions: number[];
      /** Unix seconds. The recall concerns conversations that started from then on. Null: all. */
      since: (number | null);
      reason: (string | null);
      actor: string;
      /** Creation time in Unix seconds. */
      created: number;
    };
    /** A conversation of a recalled version. */
    RecalledConversation: {
      conversation_id: string;
      /** The recalled versions that took part. */
      versions: number[];
      /** Agent with which the conversation started. */
      agent_id: string;
      /** Version with which it started. Another one than `versions` handed it over. */
      agent_version: number;
      /** Your id of the user. */
      user_id: (string | null);
      channel: ('chat' | 'voice' | 'sms' | 'web_voice');
      status: ('active' | 'escalated' | 'ended' | 'failed');
      outcome: ('resolved' | 'unresolved' | 'escalated' | 'abandoned' | 'voicemail' | 'failed' | 'unknown' | null);
      /** Unix seconds. */
      started_at: number;
      /** Unix seconds. */
      ended_at: (number | null);
      /** Whether the conversation was erased. Its user and its tool calls are gone. */
      erased: boolean;
    };
    /** A user who talked with a recalled version, and the newest conversation of the two. */
    RecalledUser: {
      user_id: string;
      last_conversation_id: string;
      /** Unix seconds. */
      last_started_at: number;
    };
    /** A tool call of a recalled version. */
    RecalledToolCall: {
      conversation_id: string;
      /** Your id of the user. */
      user_id: (string | null);
      /** Unix seconds. */
      called_at: number;
      /** The call with its arguments and its result. */
      turn: {
        index: number;
        role: ('user' | 'agent' | 'tool' | 'human' | 'system');
        /** Name of the person who spoke. Only in turns with the role `human`. */
        name?: string;
        text: string;
        /** Milliseconds since the conversation started. */
        started_at_ms: number;
        /** Milliseconds since the conversation started. */
        ended_at_ms: number;
        interrupted: boolean;
        tool_call?: { [name: string]: unknown };
        tool_result?: { [name: string]: unknown };
        /** Passages used for the reply, best first. */
        retrieval?: {
          query: string;
          top_score: number;
          chunks: {
            source_id: string;
            document_id: string;
            chunk_id: string;
            score: number;
            /** Similarity in meaning of the question and the passage, at most 1. Absent if it was not computed. */
            similarity?: number;
          }[];
          /** Passages that were found but not used for the reply. */
          considered?: {
            source_id: string;
            document_id: string;
            chunk_id: string;
            score: number;
            /** Similarity in meaning of the question and the passage, at most 1. Absent if it was not computed. */
            similarity?: number;
          }[];
        };
        /** Latency of each part of the turn in milliseconds. `turn_ms` is the total. */
        latency?: { [name: string]: number };
        /** Agent that spoke. It changes after a handoff. */
        agent_id?: string;
        agent_version?: number;
        /** Model usage of this turn. */
        model?: {
          /** Name of the model provider, or `default`. */
          provider: string;
          /** Model that answered. */
          name: string;
          finish_reason: string;
          /** Number of model requests. Each round of tools adds one. */
          steps: number;
          usage: {
            input_tokens: number;
            output_tokens: number;
            cached_input_tokens: number;
            /** Whether the tokens are estimated, because the response was incomplete. */
            estimated: boolean;
          };
          cost: ({
            amount: number;
            currency: string;
          } | null);
          time_to_first_token_ms: (number | null);
        };
        /** Why the reply is missing or incomplete. */
        error?: {
          code: string;
          detail: string;
        };
        /** Number of items of each kind that were removed from the text of the user. */
        redacted?: {
          card?: number;
          email?: number;
          phone?: number;
          iban?: number;
        };
      };
    };
    /** Statistics of an agent's conversations. */
    AgentStats: {
      agent_id: string;
      version: (number | null);
      /** Unix seconds. */
      from: number;
      /** Unix seconds. */
      to: number;
      /** Conversations that started in the period, including erased ones. */
      conversations: number;
      /** Conversations that have not ended. */
      active: number;
      /** Conversations that have ended: the sum of the seven outcomes. */
      ended: number;
      /** Conversations with the outcome `resolved`. */
      resolved: number;
      /** Conversations with the outcome `unresolved`. */
      unresolved: number;
      /** Conversations with the outcome `escalated`. */
      escalated: number;
      /** Conversations with the outcome `abandoned`. */
      abandoned: number;
      /** Conversations with the outcome `voicemail`. */
      voicemail: number;
      /** Conversations with the outcome `failed`. */
      failed: number;
      /** Conversations with the outcome `unknown`. */
      unknown: number;
      /** `resolved` divided by `ended`. */
      resolution_rate: (number | null);
      /** Average satisfaction that users reported, 1 to 5. */
      csat_average: (number | null);
      /** Number of conversations whose users reported their satisfaction. */
      csat_count: number;
      /** Average predicted satisfaction of the ended conversations, 1 to 5. */
      csat_predicted_average: (number | null);
      /** Mean absolute difference between predicted and reported satisfaction, over conversations that have both. */
      csat_predicted_error: (number | null);
      /** Pearson correlation of reported and predicted satisfaction. Null with fewer than two values, or if all values of one kind are equal. */
      csat_correlation: (number | null);
      /** Escalations in these conversations. */
      escalations: number;
      /** Conversations with at least one escalation. */
      escalated_conversations: number;
      /** `escalated_conversations` divided by `conversations`. */
      escalation_rate: (number | null);
      /** Questions of users, answered or not. */
      questions: number;
      /** Questions without an answer. */
      gaps: number;
      /** `gaps` divided by `questions`. */
      gap_rate: (number | null);
      /** Turns of all speakers. */
      turns: number;
      /** Number of agent turns whose latency was measured, among the newest 1,000. */
      turn_latency_count: number;
      /** Median latency of these turns, in milliseconds. */
      turn_latency_p50_ms: (number | null);
      /** 95th percentile of the latency of these turns, in milliseconds. */
      turn_latency_p95_ms: (number | null);
    };
    /** Statistics of conversations. */
    Stats: {
      /** Unix seconds. */
      from: number;
      /** Unix seconds. */
      to: number;
      /** Statistics of all conversations in the period. */
      total: {
        /** Conversations that started in the period, including erased ones. */
        conversations: number;
        /** Conversations that have not ended. */
        active: number;
        /** Conversations that have ended: the sum of the seven outcomes. */
        ended: number;
        /** Conversations with the outcome `resolved`. */
        resolved: number;
        /** Conversations with the outcome `unresolved`. */
        unresolved: number;
        /** Conversations with the outcome `escalated`. */
        escalated: number;
        /** Conversations with the outcome `abandoned`. */
        abandoned: number;
        /** Conversations with the outcome `voicemail`. */
        voicemail: number;
        /** Conversations with the outcome `failed`. */
        failed: number;
        /** Conversations with the outcome `unknown`. */
        unknown: number;
        /** `resolved` divided by `ended`. */
        resolution_rate: (number | null);
        /** Average satisfaction that users reported, 1 to 5. */
        csat_average: (number | null);
        /** Number of conversations whose users reported their satisfaction. */
        csat_count: number;
        /** Average predicted satisfaction of the ended conversations, 1 to 5. */
        csat_predicted_average: (number | null);
        /** Mean absolute difference between predicted and reported satisfaction, over conversations that have both. */
        csat_predicted_error: (number | null);
        /** Pearson correlation of reported and predicted satisfaction. Null with fewer than two values, or if all values of one kind are equal. */
        csat_correlation: (number | null);
        /** Escalations in these conversations. */
        escalations: number;
        /** Conversations with at least one escalation. */
        escalated_conversations: number;
        /** `escalated_conversations` divided by `conversations`. */
        escalation_rate: (number | null);
        /** Questions of users, answered or not. */
        questions: number;
        /** Questions without an answer. */
        gaps: number;
        /** `gaps` divided by `questions`. */
        gap_rate: (number | null);
        /** Turns of all speakers. */
        turns: number;
      };
      /** One entry for each version with conversations, those with the most conversations first. */
      agents: components['schemas']['VersionStats'][];
      /** Whether there are more than 1000 entries. */
      has_more: boolean;
    };
    /** Statistics of the conversations that began with this version. */
    VersionStats: {
      agent_id: string;
      version: number;
      /** Conversations that started in the period, including erased ones. */
      conversations: number;
      /** Conversations that have not ended. */
      active: number;
      /** Conversations that have ended: the sum of the seven outcomes. */
      ended: number;
      /** Conversations with the outcome `resolved`. */
      resolved: number;
      /** Conversations with the outcome `unresolved`. */
      unresolved: number;
      /** Conversations with the outcome `escalated`. */
      escalated: number;
      /** Conversations with the outcome `abandoned`. */
      abandoned: number;
      /** Conversations with the outcome `voicemail`. */
      voicemail: number;
      /** Conversations with the outcome `failed`. */
      failed: number;
      /** Conversations with the outcome `unknown`. */
      unknown: number;
      /** `resolved` divided by `ended`. */
      resolution_rate: (number | null);
      /** Average satisfaction that users reported, 1 to 5. */
      csat_average: (number | null);
      /** Number of conversations whose users reported their satisfaction. */
      csat_count: number;
      /** Average predicted satisfaction of the ended conversations, 1 to 5. */
      csat_predicted_average: (number | null);
      /** Mean absolute difference between predicted and reported satisfaction, over conversations that have both. */
      csat_predicted_error: (number | null);
      /** Pearson correlation of reported and predicted satisfaction. Null with fewer than two values, or if all values of one kind are equal. */
      csat_correlation: (number | null);
      /** Escalations in these conversations. */
      escalations: number;
      /** Conversations with at least one escalation. */
      escalated_conversations: number;
      /** `escalated_conversations` divided by `conversations`. */
      escalation_rate: (number | null);
      /** Questions of users, answered or not. */
      questions: number;
      /** Questions without an answer. */
      gaps: number;
      /** `gaps` divided by `questions`. */
      gap_rate: (number | null);
      /** Turns of all speakers. */
      turns: number;
    };
    /** Figures of conversations over time and by group. */
    Analytics: {
      /** Start of the first interval. */
      from: number;
      /** End of the period: the next quarter of an hour. */
      to: number;
      interval: ('hour' | 'day' | 'week');
      time_zone: string;
      group_by: ('agent' | 'version' | 'channel' | 'topic' | 'person' | null);
      total: components['schemas']['AnalyticsFigures'];
      /** The period of the same length before `from`. */
      previous: {
        /** Unix seconds. */
        from: number;
        /** Unix seconds. */
        to: number;
        total: components['schemas']['AnalyticsFigures'];
      };
      /** One entry for each interval, the earliest first. */
      buckets: {
        /** Start. */
        at: number;
        /** Conversations that started in the period, including erased ones. */
        conversations: number;
        /** Conversations that have not ended. */
        active: number;
        /** Conversations that have ended: the sum of the seven outcomes. */
        ended: number;
        /** Conversations with the outcome `resolved`. */
        resolved: number;
        /** Conversations with the outcome `unresolved`. */
        unresolved: number;
        /** Conversations with the outcome `escalated`. */
        escalated: number;
        /** Conversations with the outcome `abandoned`. */
        abandoned: number;
        /** Conversations with the outcome `voicemail`. */
        voicemail: number;
        /** Conversations with the outcome `failed`. */
        failed: number;
        /** Conversations with the outcome `unknown`. */
        unknown: number;
        /** `resolved` divided by `ended`. */
        resolution_rate: (number | null);
        /** Average satisfaction that users reported, 1 to 5. */
        csat_average: (number | null);
        /** Number of conversations whose users reported their satisfaction. */
        csat_count: number;
        /** Average predicted satisfaction of the ended conversations, 1 to 5. */
        csat_predicted_average: (number | null);
        /** Mean absolute difference between predicted and reported satisfaction, over conversations that have both. */
        csat_predicted_error: (number | null);
        /** Pearson correlation of reported and predicted satisfaction. Null with fewer than two values, or if all values of one kind are equal. */
        csat_correlation: (number | null);
        /** Escalations in these conversations. */
        escalations: number;
        /** Conversations with at least one escalation. */
        escalated_conversations: number;
        /** `escalated_conversations` divided by `conversations`. */
        escalation_rate: (number | null);
        /** Questions of users, answered or not. */
        questions: number;
        /** Questions without an answer. */
        gaps: number;
        /** `gaps` divided by `questions`. */
        gap_rate: (number | null);
        /** Turns of all speakers. */
        turns: number;
        /** Ended conversations in which nobody requested a person. */
        contained: number;
        /** `contained` divided by `ended`. */
        containment_rate: (number | null);
        /** Escalations that somebody accepted. */
        accepted_escalations: number;
        /** Average time from a request for a person to the acceptance, in seconds. */
        time_to_accept_sec: (number | null);
        /** Escalations that nobody accepted in time. */
        missed_escalations: number;
        /** Tokens that models read, for replies and judgements. Includes cached tokens. */
        input_tokens: number;
        /** Tokens that models wrote. */
        output_tokens: number;
        /** Input tokens that a provider took from its cache. */
        cached_input_tokens: number;
        /** Costs of models by currency, such as `{"USD": 1.25}`. Requests to a provider without prices do not count. */
        costs: { [name: string]: number };
      }[];
      /** One entry for each group with conversations, those with the most first. Empty without `group_by`. */
      groups: {
        agent_id: (string | null);
        version: (number | null);
        channel: ('chat' | 'voice' | 'sms' | 'web_voice' | null);
        topic: (string | null);
        /** Person who accepted escalations. */
        person: ({
          id: string;
          name: (string | null);
        } | null);
        total: components['schemas']['AnalyticsFigures'];
        previous: components['schemas']['AnalyticsFigures'];
      }[];
      /** Whether there are more than 100 groups. */
      has_more: boolean;
    };
    /** Figures of a group of conversations. */
    AnalyticsFigures: {
      /** Conversations that started in the period, including erased ones. */
      conversations: number;
      /** Conversations that have not ended. */
      active: number;
      /** Conversations that have ended: the sum of the seven outcomes. */
      ended: number;
      /** Conversations with the outcome `resolved`. */
      resolved: number;
      /** Conversations with the outcome `unresolved`. */
      unresolved: number;
      /** Conversations with the outcome `escalated`. */
      escalated: number;
      /** Conversations with the outcome `abandoned`. */
      abandoned: number;
      /** Conversations with the outcome `voicemail`. */
      voicemail: number;
      /** Conversations with the outcome `failed`. */
      failed: number;
      /** Conversations with the outcome `unknown`. */
      unknown: number;
      /** `resolved` divided by `ended`. */
      resolution_rate: (number | null);
      /** Average satisfaction that users reported, 1 to 5. */
      csat_average: (number | null);
      /** Number of conversations whose users reported their satisfaction. */
      csat_count: number;
      /** Average predicted satisfaction of the ended conversations, 1 to 5. */
      csat_predicted_average: (number | null);
      /** Mean absolute difference between predicted and reported satisfaction, over conversations that have both. */
      csat_predicted_error: (number | null);
      /** Pearson correlation of reported and predicted satisfaction. Null with fewer than two values, or if all values of one kind are equal. */
      csat_correlation: (number | null);
      /** Escalations in these conversations. */
      escalations: number;
      /** Conversations with at least one escalation. */
      escalated_conversations: number;
      /** `escalated_conversations` divided by `conversations`. */
      escalation_rate: (number | null);
      /** Questions of users, answered or not. */
      questions: number;
      /** Questions without an answer. */
      gaps: number;
      /** `gaps` divided by `questions`. */
      gap_rate: (number | null);
      /** Turns of all speakers. */
      turns: number;
      /** Ended conversations in which nobody requested a person. */
      contained: number;
      /** `contained` divided by `ended`. */
      containment_rate: (number | null);
      /** Escalations that somebody accepted. */
      accepted_escalations: number;
      /** Average time from a request for a person to the acceptance, in seconds. */
      time_to_accept_sec: (number | null);
      /** Escalations that nobody accepted in time. */
      missed_escalations: number;
      /** Tokens that models read, for replies and judgements. Includes cached tokens. */
      input_tokens: number;
      /** Tokens that models wrote. */
      output_tokens: number;
      /** Input tokens that a provider took from its cache. */
      cached_input_tokens: number;
      /** Costs of models by currency, such as `{"USD": 1.25}`. Requests to a provider without prices do not count. */
      costs: { [name: string]: number };
    };
    /** An address that receives events. */
    WebhookEndpoint: {
      /** Id of the endpoint, `we_…`. */
      id: string;
      /** Creation time in Unix seconds. */
      created: number;
      /** Time of the last change in Unix seconds. */
      updated: number;
      name: string;
      url: string;
      /** Subscribed types, as declared. Null means every type. */
      event_types: (string[] | null);
      description: (string | null);
      enabled: boolean;
      /** Names of the extra headers. Their values are never shown. */
      header_names: string[];
      metadata: { [name: string]: string };
      managed_by: ('api' | 'kubernetes' | 'file');
      /** Whether the endpoint is active as declared. */
      ready: boolean;
      status_message: (string | null);
      /** Health, judged by the latest deliveries. `not_ready` if the endpoint is not active as declared. */
      status: ('healthy' | 'failing' | 'disabled' | 'not_ready');
      /** Unix seconds. */
      last_success_at: (number | null);
      last_failure: ({
        /** Unix seconds. */
        at: (number | null);
        delivery_id: string;
        status_code: (number | null);
        error_class: (string | null);
      } | null);
      /** Start of the failures since the last success, in Unix seconds. Null without failures. */
      failing_since: (number | null);
      /** Number of failed attempts since the last success. */
      failed_attempts: number;
      /** Number of unfinished deliveries, counted up to 10000. Null in lists. */
      unfinished_deliveries: (number | null);
      /** How the endpoint was disabled, and by whom. Null if it is enabled. */
      disabled_reason: (string | null);
      /** The rotation in progress, while two secrets are live; see `rotate_secret`. Null otherwise. */
      secret_rotation: ({
        /** When the new secret starts to sign `parley-signature`. */
        activates_at: number;
        /** When the old secret stops being valid. */
        ends_at: number;
      } | null);
    };
    /** A new endpoint, including its signing secret. */
    CreatedWebhookEndpoint: {
      /** Id of the endpoint, `we_…`. */
      id: string;
      /** Creation time in Unix seconds. */
      created: number;
      /** Time of the last change in Unix seconds. */
      updated: number;
      name: string;
      url: string;
      /** Subscribed types, as declared. Null means every type. */
      event_types: (string[] | null);
      description: (string | null);
      enabled: boolean;
      /** Names of the extra headers. Their values are never shown. */
      header_names: string[];
      metadata: { [name: string]: string };
      managed_by: ('api' | 'kubernetes' | 'file');
      /** Whether the endpoint is active as declared. */
      ready: boolean;
      status_message: (string | null);
      /** Health, judged by the latest deliveries. `not_ready` if the endpoint is not active as declared. */
      status: ('healthy' | 'failing' | 'disabled' | 'not_ready');
      /** Unix seconds. */
      last_success_at: (number | null);
      last_failure: ({
        /** Unix seconds. */
        at: (number | null);
        delivery_id: string;
        status_code: (number | null);
        error_class: (string | null);
      } | null);
      /** Start of the failures since the last success, in Unix seconds. Null without failures. */
      failing_since: (number | null);
      /** Number of failed attempts since the last success. */
      failed_attempts: number;
      /** Number of unfinished deliveries, counted up to 10000. Null in lists. */
      unfinished_deliveries: (number | null);
      /** How the endpoint was disabled, and by whom. Null if it is enabled. */
      disabled_reason: (string | null);
      /** The rotation in progress, while two secrets are live; see `rotate_secret`. Null otherwise. */
      secret_rotation: ({
        /** When the new secret starts to sign `parley-signature`. */
        activates_at: number;
        /** When the old secret stops being valid. */
        ends_at: number;
      } | null);
      /** Signing secret. Only this response shows it. */
      secret: string;
    };
    /** The request that a receiver would get. */
    TestRequest: {
      url: string;
      method: 'POST';
      /** All headers of the request. Extra headers of the endpoint have the value `[hidden]`. */
      headers: { [name: string]: string };
      /** The exact bytes of the body, as text. */
      body: string;
    };
    /** An endpoint with a rotated secret. */
    RotatedWebhookEndpoint: {
      /** Id of the endpoint, `we_…`. */
      id: string;
      /** Creation time in Unix seconds. */
      created: number;
      /** Time of the last change in Unix seconds. */
      updated: number;
      name: string;
      url: string;
      /** Subscribed types, as declared. Null means every type. */
      event_types: (string[] | null);
      description: (string | null);
      enabled: boolean;
      /** Names of the extra headers. Their values are never shown. */
      header_names: string[];
      metadata: { [name: string]: string };
      managed_by: ('api' | 'kubernetes' | 'file');
      /** Whether the endpoint is active as declared. */
      ready: boolean;
      status_message: (string | null);
      /** Health, judged by the latest deliveries. `not_ready` if the endpoint is not active as declared. */
      status: ('healthy' | 'failing' | 'disabled' | 'not_ready');
      /** Unix seconds. */
      last_success_at: (number | null);
      last_failure: ({
        /** Unix seconds. */
        at: (number | null);
        delivery_id: string;
        status_code: (number | null);
        error_class: (string | null);
      } | null);
      /** Start of the failures since the last success, in Unix seconds. Null without failures. */
      failing_since: (number | null);
      /** Number of failed attempts since the last success. */
      failed_attempts: number;
      /** Number of unfinished deliveries, counted up to 10000. Null in lists. */
      unfinished_deliveries: (number | null);
      /** How the endpoint was disabled, and by whom. Null if it is enabled. */
      disabled_reason: (string | null);
      /** The rotation in progress, while two secrets are live; see `rotate_secret`. Null otherwise. */
      secret_rotation: ({
        /** When the new secret starts to sign `parley-signature`. */
        activates_at: number;
        /** When the old secret stops being valid. */
        ends_at: number;
      } | null);
      /** The new signing secret, if this request created one. Only this response shows it. */
      secret?: string;
    };
    /** An event as it is sent, and the state of its deliveries. */
    Event: {
      /** Id of the event, `evt_…`. */
      id: string;
      type: ('conversation.started' | 'conversation.ended' | 'conversation.transcript.ready' | 'escalation.requested' | 'escalation.accepted' | 'knowledge.gap.detected' | 'knowledge.source.synced' | 'agent.published' | 'agent.rolled_back');
      /** Creation time in Unix seconds. */
      created: number;
      /** Whether the event is a test, sent by `POST /v1/webhooks/{id}/test`. */
      test: boolean;
      /** Data of the event. The fields depend on `type`; see the webhooks of this document. */
      data: { [name: string]: unknown };
      /** Number of deliveries by status. Deliveries that are retried count as pending. */
      deliveries: {
        pending: number;
        delivered: number;
        failed: number;
        canceled: number;
      };
    };
    /** Why an event was or was not delivered to an endpoint. */
    Explanation: {
      event_id: string;
      endpoint_id: string;
      reason: ('delivered' | 'pending' | 'waiting_for_retry' | 'waiting_in_order' | 'in_flight' | 'endpoint_disabled' | 'endpoint_not_ready' | 'failed' | 'canceled' | 'erased' | 'test_event_of_another_endpoint' | 'not_subscribed' | 'created_before_endpoint' | 'made_while_disabled');
      /** Human-readable explanation, including what to do. */
      detail: string;
      /** The delivery that the explanation is about. Null without a delivery. */
      delivery_id: (string | null);
      /** Unix seconds. */
      next_attempt_at: (number | null);
    };
    /** One event to deliver to one endpoint, and its attempts. */
    Delivery: {
      /** Id of the delivery, `dlv_…`. */
      id: string;
      /** Creation time in Unix seconds. */
      created: number;
      event_id: string;
      event_type: ('conversation.started' | 'conversation.ended' | 'conversation.transcript.ready' | 'escalation.requested' | 'escalation.accepted' | 'knowledge.gap.detected' | 'knowledge.source.synced' | 'agent.published' | 'agent.rolled_back');
      endpoint_id: string;
      trigger: ('schedule' | 'manual' | 'replay' | 'test');
      /** Whether the event is a test event. */
      test: boolean;
      status: ('pending' | 'retrying' | 'delivered' | 'failed' | 'canceled');
      /** Number of entries in `attempts`. */
      attempt_count: number;
      /** Start of an attempt in progress, which `attempts` does not contain yet. Null without one. */
      in_flight_since: (number | null);
      /** Unix seconds. */
      next_attempt_at: (number | null);
      /** Unix seconds. */
      delivered_at: (number | null);
      /** Id of the replay that was acknowledged while this delivery waited, `dlv_…`. Null otherwise. */
      delivered_by: (string | null);
      attempts: {
        number: number;
        trigger: ('schedule' | 'manual' | 'replay' | 'test');
        /** Unix seconds. */
        started_at: number;
        /** Duration in milliseconds. Null if the attempt is in progress or the duration is not known. */
        duration_ms: (number | null);
        status_code: (number | null);
        error_class: ('http_status' | 'redirect' | 'timeout' | 'dns' | 'connect' | 'tls' | 'blocked' | 'lost_lease' | null);
        error_message: (string | null);
        /** First 4 KiB of the response body. */
        response_body: (string | null);
      }[];
    };
    /** Statistics of deliveries. */
    DeliveryStats: {
      /** Unix seconds. */
      from: number;
      /** Unix seconds. */
      to: number;
      endpoint_id: (string | null);
      /** The following figures cover events from this time on: `from`, or a later time if the period has more than 100,000 finished deliveries. */
      counted_from: number;
      acknowledged: number;
      /** Deliveries that failed after all attempts. */
      failed: number;
      canceled: number;
      /** Deliveries that are not finished, counted up to 10,000. */
      unfinished: number;
      attempts: number;
      /** Attempts that were not acknowledged, including those of unfinished deliveries. */
      failed_attempts: number;
      /** Deliveries that were acknowledged at the first attempt. The latency covers these. */
      latency_count: number;
      /** Median time from the event to its acknowledgement, in milliseconds. */
      latency_p50_ms: (number | null);
      latency_p95_ms: (number | null);
      within_500_ms_rate: (number | null);
      bucket_sec: number;
      buckets: {
        /** Start of the bucket. */
        at: number;
        acknowledged: number;
        failed: number;
        failed_attempts: number;
        latency_p50_ms: (number | null);
        latency_p95_ms: (number | null);
      }[];
    };
    /** The effect that a replay would have. */
    ReplayCount: {
      /** Number of deliveries that would be created, or attempted with `retrying`. */
      count: number;
      endpoint_id: string;
      /** `failed`: events whose deliveries to the endpoint all failed or were canceled. `missing`: events that never had a delivery to the endpoint, of the types to which it is subscribed now. `all`: every event of those types. `retrying`: unfinished deliveries that failed and wait for their next attempt; they are attempted now, and no new deliveries are created. */
      mode: ('failed' | 'missing' | 'all' | 'retrying');
      types: ('conversation.started' | 'conversation.ended' | 'conversation.transcript.ready' | 'escalation.requested' | 'escalation.accepted' | 'knowledge.gap.detected' | 'knowledge.source.synced' | 'agent.published' | 'agent.rolled_back')[];
      /** Unix seconds. */
      since: number;
      /** Unix seconds. */
      until: number;
    };
    /** A job, which continues after the response. */
    Job: {
      /** Id of the job, `job_…`. */
      id: string;
      type: 'replay';
      status: ('running' | 'done' | 'stopped' | 'failed');
      /** Number of deliveries to create (with `retrying`: to attempt), counted at the start, and the number done so far. */
      progress: {
        total: number;
        done: number;
      };
      /** Creation time in Unix seconds. */
      created: number;
      /** Unix seconds. */
      finished_at: (number | null);
      /** Why the job failed. */
      error: (string | null);
      endpoint_id: string;
      /** `failed`: events whose deliveries to the endpoint all failed or were canceled. `missing`: events that never had a delivery to the endpoint, of the types to which it is subscribed now. `all`: every event of those types. `retrying`: unfinished deliveries that failed and wait for their next attempt; they are attempted now, and no new deliveries are created. */
      mode: ('failed' | 'missing' | 'all' | 'retrying');
      /** Event types of the job. An empty list means every type. */
      types: ('conversation.started' | 'conversation.ended' | 'conversation.transcript.ready' | 'escalation.requested' | 'escalation.accepted' | 'knowledge.gap.detected' | 'knowledge.source.synced' | 'agent.published' | 'agent.rolled_back')[];
      /** Unix seconds. */
      since: number;
      /** Unix seconds. */
      until: number;
    };
    /** Digest of the events that were sent to an endpoint in one hour. */
    DeliveryDigest: {
      /** Unix seconds. */
      hour: number;
      /** Number of events that were sent or are not delivered yet. */
      count: number;
      /** Lower-case hex SHA-256 of the ids of these events, in ascending order, joined by LF, without a trailing LF. */
      sha256: string;
      /** Number of these events that are not acknowledged and are still retried. */
      unfinished: number;
      /** Number of these events whose delivery failed for good. A replay sends them again. */
      failed: number;
    };
    /** Difference between the events that were sent and the events that a receiver holds. */
    Reconciliation: {
      /** Unix seconds. */
      since: number;
      /** Unix seconds. */
      until: number;
      /** Events that were sent to the endpoint and that the receiver does not hold, in ascending order. This list has pages. */
      missing: string[];
      /** Events in `missing` with an unfinished delivery. */
      unfinished: string[];
      /** Events in `missing` whose words were erased. They cannot be sent again. */
      erased: string[];
      /** Ids that the receiver holds and that were never sent to this endpoint. Only on the first page, like `uncounted` and `outside`. */
      unknown: string[];
      /** Ids that the receiver holds and that count in no digest: test events, and events whose deliveries were all canceled. */
      uncounted: string[];
      /** Ids that the receiver holds and that are outside the period. They are not compared. */
      outside: string[];
      /** New deliveries, if `replay` was true. */
      delivery_ids: string[];
      has_more: boolean;
      /** Value of `cursor` for the next page. Null on the last page. */
      next_cursor: (string | null);
    };
    /** A conversation with a version of an agent. */
    Conversation: {
      /** Id of the conversation, `conv_…`. */
      id: string;
      /** Creation time in Unix seconds. */
      created: number;
      agent_id: string;
      /** Version of the agent. It stays the same from start to end. */
      agent_version: number;
      /** Whether this is a test: it emits no events and counts in no statistics. */
      test: boolean;
      channel: ('chat' | 'voice' | 'sms' | 'web_voice');
      user_id: (string | null);
      variables: { [name: string]: unknown };
      metadata: { [name: string]: string };
      /** Id of the call, `call_…`. Null without a call. */
      call_id: (string | null);
      status: ('active' | 'escalated' | 'ended' | 'failed');
      /** Number of turns in the transcript so far. */
      turn_count: number;
      /** Unix seconds. */
      started_at: number;
      /** Unix seconds. */
      ended_at: (number | null);
      /** Duration in seconds. Null while the conversation is active. */
      duration_sec: (number | null);
      ended_reason: (string | null);
      /** Outcome. Null until the conversation ends. */
      outcome: ('resolved' | 'unresolved' | 'escalated' | 'abandoned' | 'voicemail' | 'failed' | 'unknown' | null);
      csat_predicted: (number | null);
      /** Satisfaction that the user reported as feedback. Null without feedback. */
      csat: (number | null);
      /** Summary, written immediately after the end. */
      summary: (string | null);
      /** Judgement by a model, if the agent requests one. Null if it was not requested or is not complete. */
      judgement: ({
        /** Name of the model provider. Null if no model answered. */
        provider: (string | null);
        model: (string | null);
        /** Topics of the conversation, most important first. */
        topics: string[];
        /** Questions of the user that were not answered. */
        open_questions: string[];
        by_rule: {
          summary: string;
          outcome: ('resolved' | 'unresolved' | 'escalated' | 'abandoned' | 'voicemail' | 'failed' | 'unknown');
          csat_predicted: number;
        };
        usage: ({
          input_tokens: number;
          output_tokens: number;
          cached_input_tokens: number;
          estimated: boolean;
        } | null);
        cost: ({
          amount: number;
          currency: string;
        } | null);
        duration_ms: (number | null);
        /** Why no model judged the conversation. The values are then those of the rule. Null without an error. */
        error: ({
          code: string;
          detail: string;
        } | null);
      } | null);
    };
    /** A conversation in a list, with its last message and the sentence that matches a search. */
    ListedConversation: {
      /** Id of the conversation, `conv_…`. */
      id: string;
      /** Creation time in Unix seconds. */
      created: number;
      agent_id: string;
      /** Version of the agent. It stays the same from start to end. */
      agent_version: number;
      /** Whether this is a test: it emits no events and counts in no statistics. */
      test: boolean;
      channel: ('chat' | 'voice' | 'sms' | 'web_voice');
      user_id: (string | null);
      variables: { [name: string]: unknown };
      metadata: { [name: string]: string };
      /** Id of the call, `call_…`. Null without a call. */
      call_id: (string | null);
      status: ('active' | 'escalated' | 'ended' | 'failed');
      /** Number of turns in the transcript so far. */
      turn_count: number;
      /** Unix seconds. */
      started_at: number;
      /** Unix seconds. */
      ended_at: (number | null);
      /** Duration in seconds. Null while the conversation is active. */
      duration_sec: (number | null);
      ended_reason: (string | null);
      /** Outcome. Null until the conversation ends. */
      outcome: ('resolved' | 'unresolved' | 'escalated' | 'abandoned' | 'voicemail' | 'failed' | 'unknown' | null);
      csat_predicted: (number | null);
      /** Satisfaction that the user reported as feedback. Null without feedback. */
      csat: (number | null);
      /** Summary, written immediately after the end. */
      summary: (string | null);
      /** Judgement by a model, if the agent requests one. Null if it was not requested or is not complete. */
      judgement: ({
        /** Name of the model provider. Null if no model answered. */
        provider: (string | null);
        model: (string | null);
        /** Topics of the conversation, most important first. */
        topics: string[];
        /** Questions of the user that were not answered. */
        open_questions: string[];
        by_rule: {
          summary: string;
          outcome: ('resolved' | 'unresolved' | 'escalated' | 'abandoned' | 'voicemail' | 'failed' | 'unknown');
          csat_predicted: number;
        };
        usage: ({
          input_tokens: number;
          output_tokens: number;
          cached_input_tokens: number;
          estimated: boolean;
        } | null);
        cost: ({
          amount: number;
          currency: string;
        } | null);
        duration_ms: (number | null);
        /** Why no model judged the conversation. The values are then those of the rule. Null without an error. */
        error: ({
          code: string;
          detail: string;
        } | null);
      } | null);
      /** Last message of the user, an agent or a person. Null if nobody has said anything. */
      last_message: ({
        /** Index of the turn. */
        index: number;
        role: ('user' | 'agent' | 'human');
        /** The first 280 characters of the message. */
        text: string;
      } | null);
      /** Sentence of the transcript or of the summary that matches `q`. It is null if `q` has no words, or matches only `user_id`. */
      match: ({
        /** Index of the turn. Null if the words are in the summary. */
        index: (number | null);
        /** Null if the words are in the summary. */
        role: ('user' | 'agent' | 'human' | null);
        /** The sentence, at most 280 characters. */
        text: string;
      } | null);
    };
    /** A conversation, with the activation of its version. */
    ConversationRead: {
      /** Id of the conversation, `conv_…`. */
      id: string;
      /** Creation time in Unix seconds. */
      created: number;
      agent_id: string;
      /** Version of the agent. It stays the same from start to end. */
      agent_version: number;
      /** Whether this is a test: it emits no events and counts in no statistics. */
      test: boolean;
      channel: ('chat' | 'voice' | 'sms' | 'web_voice');
      user_id: (string | null);
      variables: { [name: string]: unknown };
      metadata: { [name: string]: string };
      /** Id of the call, `call_…`. Null without a call. */
      call_id: (string | null);
      status: ('active' | 'escalated' | 'ended' | 'failed');
      /** Number of turns in the transcript so far. */
      turn_count: number;
      /** Unix seconds. */
      started_at: number;
      /** Unix seconds. */
      ended_at: (number | null);
      /** Duration in seconds. Null while the conversation is active. */
      duration_sec: (number | null);
      ended_reason: (string | null);
      /** Outcome. Null until the conversation ends. */
      outcome: ('resolved' | 'unresolved' | 'escalated' | 'abandoned' | 'voicemail' | 'failed' | 'unknown' | null);
      csat_predicted: (number | null);
      /** Satisfaction that the user reported as feedback. Null without feedback. */
      csat: (number | null);
      /** Summary, written immediately after the end. */
      summary: (string | null);
      /** Judgement by a model, if the agent requests one. Null if it was not requested or is not complete. */
      judgement: ({
        /** Name of the model provider. Null if no model answered. */
        provider: (string | null);
        model: (string | null);
        /** Topics of the conversation, most important first. */
        topics: string[];
        /** Questions of the user that were not answered. */
        open_questions: string[];
        by_rule: {
          summary: string;
          outcome: ('resolved' | 'unresolved' | 'escalated' | 'abandoned' | 'voicemail' | 'failed' | 'unknown');
          csat_predicted: number;
        };
        usage: ({
          input_tokens: number;
          output_tokens: number;
          cached_input_tokens: number;
          estimated: boolean;
        } | null);
        cost: ({
          amount: number;
          currency: string;
        } | null);
        duration_ms: (number | null);
        /** Why no model judged the conversation. The values are then those of the rule. Null without an error. */
        error: ({
          code: string;
          detail: string;
        } | null);
      } | null);
      /** Last activation of the version before the conversation began. Null if the version was never live (only in tests). */
      activation: ({
        /** `rolled_back` if the version number goes down, otherwise `published`. */
        action: ('published' | 'rolled_back');
        from_version: (number | null);
        to_version: number;
        actor: string;
        reason: (string | null);
        /** Targets of the version's handoffs. `version` is null if the target had no active version; its first active version is then used. */
        handoffs: {
          tool: string;
          agent: string;
          agent_id: (string | null);
          version: (number | null);
        }[];
        /** Unix seconds. */
        at: number;
      } | null);
    };
    /** Turns that the message added. */
    MessageAnswer: {
      turns: components['schemas']['Turn'][];
      conversation: components['schemas']['Conversation'];
    };
    /** One turn of a transcript. */
    Turn: {
      index: number;
      role: ('user' | 'agent' | 'tool' | 'human' | 'system');
      /** Name of the person who spoke. Only in turns with the role `human`. */
      name?: string;
      text: string;
      /** Milliseconds since the conversation started. */
      started_at_ms: number;
      /** Milliseconds since the conversation started. */
      ended_at_ms: number;
      interrupted: boolean;
      tool_call?: { [name: string]: unknown };
      tool_result?: { [name: string]: unknown };
      /** Passages used for the reply, best first. */
      retrieval?: {
        query: string;
        top_score: number;
        chunks: {
          source_id: string;
          document_id: string;
          chunk_id: string;
          score: number;
          /** Similarity in meaning of the question and the passage, at most 1. Absent if it was not computed. */
          similarity?: number;
        }[];
        /** Passages that were found but not used for the reply. */
        considered?: {
          source_id: string;
          document_id: string;
          chunk_id: string;
          score: number;
          /** Similarity in meaning of the question and the passage, at most 1. Absent if it was not computed. */
          similarity?: number;
        }[];
      };
      /** Latency of each part of the turn in milliseconds. `turn_ms` is the total. */
      latency?: { [name: string]: number };
      /** Agent that spoke. It changes after a handoff. */
      agent_id?: string;
      agent_version?: number;
      /** Model usage of this turn. */
      model?: {
        /** Name of the model provider, or `default`. */
        provider: string;
        /** Model that answered. */
        name: string;
        finish_reason: string;
        /** Number of model requests. Each round of tools adds one. */
        steps: number;
        usage: {
          input_tokens: number;
          output_tokens: number;
          cached_input_tokens: number;
          /** Whether the tokens are estimated, because the response was incomplete. */
          estimated: boolean;
        };
        cost: ({
          amount: number;
          currency: string;
        } | null);
        time_to_first_token_ms: (number | null);
      };
      /** Why the reply is missing or incomplete. */
      error?: {
        code: string;
        detail: string;
      };
      /** Number of items of each kind that were removed from the text of the user. */
      redacted?: {
        card?: number;
        email?: number;
        phone?: number;
        iban?: number;
      };
    };
    /** A request for a human in a conversation. */
    Escalation: {
      /** Id of the escalation, `esc_…`. */
      id: string;
      /** Creation time in Unix seconds. */
      created: number;
      conversation_id: string;
      agent_id: string;
      /** Whether the conversation is a test. */
      test: boolean;
      /** User of the conversation. */
      user_id: (string | null);
      /** Last messages of the user before the request, at most two, oldest first: the first 280 characters of each. Empty in escalations of earlier releases. */
      user_messages: string[];
      status: ('requested' | 'accepted' | 'declined' | 'timed_out' | 'completed' | 'canceled');
      reason: string;
      /** Summary of the conversation up to the request. Updated when the escalation is accepted and when it is completed. */
      summary: string;
      /** Unix seconds. */
      requested_at: number;
      /** Time at which the agent continues if nobody accepts. */
      times_out_at: number;
      /** Unix seconds. */
      accepted_at: (number | null);
      accepted_by: ({
        /** Your id of the person. */
        id: string;
        /** Name of the person, shown in the transcript. */
        name: string;
      } | null);
      /** Label of the people who are requested. */
      team: (string | null);
      /** Maximum number of seconds between heartbeats or messages of the person who accepted. Null if no heartbeat is required. */
      heartbeat_sec: (number | null);
      /** Time by which the next heartbeat or message is required. Without one, the escalation is released and waits for another person. */
      heartbeat_due_at: (number | null);
      /** Seconds from the request until it was accepted. Null if nobody has accepted. */
      wait_sec: (number | null);
      /** Unix seconds. */
      finished_at: (number | null);
      /** Whether nobody accepted in time, no other team was requested next, and nobody has reviewed it. */
      missed: boolean;
      /** When somebody first looked at it after it was missed. Null if nobody has. */
      reviewed_at: (number | null);
      /** Actor that looked first, `api:key_…` or `session:<name>`. */
      reviewed_by: (string | null);
    };
    /** A link with which a user rates one conversation. */
    FeedbackLink: {
      /** Address of a page on which the user rates the conversation from 1 to 5. */
      url: string;
      /** Unix seconds. */
      expires_at: number;
    };
    /** The turns of a conversation. */
    Transcript: {
      conversation_id: string;
      agent_id: string;
      agent_version: number;
      status: ('active' | 'escalated' | 'ended' | 'failed');
      summary: (string | null);
      turns: components['schemas']['Turn'][];
    };
    /** Reply of the agent. */
    ChatCompletion: {
      /** Id of the completion, `chatcmpl-…`. */
      id: string;
      object: 'chat.completion';
      /** Unix seconds. */
      created: number;
      /** Model as given in the request. */
      model: string;
      /** Version that answered, such as `agt_…@3`. */
      system_fingerprint: string;
      choices: {
        index: number;
        message: {
          role: 'assistant';
          content: string;
          refusal: null;
        };
        logprobs: null;
        finish_reason: ('stop' | 'length' | 'content_filter');
      }[];
      usage: {
        prompt_tokens: number;
        completion_tokens: number;
        total_tokens: number;
      };
      metadata: {
        conversation_id: string;
      };
    };
    /** An error in OpenAI's format. */
    OpenAiError: {
      error: {
        /** What is wrong and how to fix it. */
        message: string;
        type: string;
        /** The field, such as `messages[0].content`. */
        param: (string | null);
        /** Machine-readable code. */
        code: (string | null);
      };
    };
    /** Agents with an active version. */
    OpenAiModels: {
      object: 'list';
      data: components['schemas']['OpenAiModel'][];
    };
    /** An agent, presented as a model. */
    OpenAiModel: {
      /** Id of the agent or the version: `agt_…` or `agt_…@3`. */
      id: string;
      object: 'model';
      /** When the agent was created, in Unix seconds. */
      created: number;
      /** Namespace of the agent. */
      owned_by: string;
      /** Display name of the agent. */
      name: string;
    };
    /** Deliveries that receivers will not get. */
    ErasedConversation: {
      /** Id of the conversation, `conv_…`. */
      id: string;
      /** Number of canceled deliveries. */
      canceled_count: number;
      /** The first 1,000 canceled deliveries, ordered by event. */
      canceled: {
        event_id: string;
        event_type: ('conversation.started' | 'conversation.ended' | 'conversation.transcript.ready' | 'escalation.requested' | 'escalation.accepted' | 'knowledge.gap.detected' | 'knowledge.source.synced' | 'agent.published' | 'agent.rolled_back');
        delivery_id: string;
        endpoint_id: string;
      }[];
    };
    /** A private note, which the user never sees. */
    EscalationNote: {
      /** Id of the note, `note_…`. */
      id: string;
      /** Creation time in Unix seconds. */
      created: number;
      conversation_id: string;
      escalation_id: string;
      /** Actor that added it, `api:key_…` or `session:<name>`. */
      actor: string;
      /** The person who wrote it. Null if none was named. */
      by: ({
        /** Your id of the person. */
        id: string;
        /** Name of the person, shown in the transcript. */
        name: string;
      } | null);
      text: string;
    };
    /** A reply that people prepared, with placeholders. */
    CannedReply: {
      /** Id of the canned reply, `reply_…`. */
      id: string;
      /** Creation time in Unix seconds. */
      created: number;
      /** Time of the last change in Unix seconds. */
      updated: number;
      title: string;
      text: string;
    };
    /** What a tool answered to one call. */
    ToolCallResult: {
      /** Whether the tool answered 2xx with JSON or text. */
      ok: boolean;
      /** HTTP status; null if the service did not respond. */
      status: (number | null);
      /** Why the call failed; null if it did not. */
      error: (string | null);
      /** Body of the response: JSON or a text; null if it cannot be read. */
      body?: unknown;
      /** Reason of `parley-escalate`, with which the tool requests a human. */
      escalate: (string | null);
      /** The text that the model would read. */
      result: string;
      /** Duration of the call in milliseconds. */
      duration_ms: number;
      /** The request that was sent, with `[hidden]` for headers made of secrets; null if none was sent. */
      request: ({
        method: string;
        url: string;
        headers: { [name: string]: string };
        body: (string | null);
      } | null);
    };
    /** A telephone call with an agent. */
    Call: {
      /** Id of the call, `call_…`. */
      id: string;
      /** Creation time in Unix seconds. */
      created: number;
      agent_id: string;
      /** Conversation of the call. Null until the call is answered. */
      conversation_id: (string | null);
      direction: ('inbound' | 'outbound');
      from: (string | null);
      to: (string | null);
      status: ('queued' | 'ringing' | 'in_progress' | 'transferring' | 'completed' | 'busy' | 'no_answer' | 'failed' | 'canceled');
      /** Why the call ended: the `ended_reason` of its conversation (`api` for a request, `user_hangup`, `voicemail`, `transferred` …), or `busy`, `no_answer`, `dial_failed`, `canceled` or `platform_error`. */
      ended_reason: (string | null);
      /** The latest transfer to another number. Null without a transfer. */
      transfer: ({
        /** Telephone number in E.164. Null after erasure. */
        to: (string | null);
        status: ('requested' | 'ringing' | 'answered' | 'busy' | 'no_answer' | 'failed' | 'canceled');
      } | null);
      provider: string;
      provider_call_id: (string | null);
      user_id: (string | null);
      variables: { [name: string]: unknown };
      metadata: { [name: string]: string };
      /** Unix seconds. */
      answered_at: (number | null);
      /** Unix seconds. */
      ended_at: (number | null);
      /** Seconds from the answer to the end. Null if the call was not answered or has not ended. */
      duration_sec: (number | null);
    };
    /** A user with a `user_id`, in figures. */
    Customer: {
      user_id: string;
      /** Start of the first conversation or call. Null if there are only tests. */
      first_seen_at: (number | null);
      /** Last turn of a conversation, or start of the last call. Null if there are only tests. */
      last_seen_at: (number | null);
      conversations: {
        /** Conversations, without tests. */
        total: number;
        /** Conversations that have not ended. */
        active: number;
        /** Test conversations. They count in no other figure. */
        tests: number;
        /** Ended conversations by outcome. */
        outcomes: {
          resolved: number;
          unresolved: number;
          escalated: number;
          abandoned: number;
          voicemail: number;
          failed: number;
          unknown: number;
        };
      };
      calls: {
        /** Calls, answered or not. */
        total: number;
        /** Calls that were answered. */
        answered: number;
      };
      escalations: {
        /** Escalations in these conversations. */
        total: number;
        /** Escalations that nobody has accepted yet. */
        waiting: number;
        /** Escalations that somebody accepted. */
        accepted: number;
        /** Escalations that nobody accepted in time. */
        missed: number;
      };
      csat: {
        /** Conversations that the user rated. */
        count: number;
        /** Average rating. Null without ratings. */
        average: (number | null);
      };
      /** Questions without an answer in the latest 100 conversations, newest conversation first, at most 20. */
      open_questions: {
        conversation_id: string;
        question: string;
      }[];
      /** Whether there are more than 10,000 conversations or calls. The figures then count the newest 10,000. */
      truncated: boolean;
    };
    /** A conversation or a call of a customer. */
    CustomerActivity: {
      /** Id of the conversation or, without one, of the call. */
      id: string;
      /** `call` is a call without a conversation, such as one that nobody answered. */
      type: ('conversation' | 'call');
      /** Creation time in Unix seconds. */
      created: number;
      conversation: (components['schemas']['Conversation'] & ({ [name: string]: unknown } | null));
      /** The call. Null for a conversation without a call. */
      call: ({
        /** Id of the call, `call_…`. */
        id: string;
        /** Creation time in Unix seconds. */
        created: number;
        agent_id: string;
        /** Conversation of the call. Null until the call is answered. */
        conversation_id: (string | null);
        direction: ('inbound' | 'outbound');
        from: (string | null);
        to: (string | null);
        status: ('queued' | 'ringing' | 'in_progress' | 'transferring' | 'completed' | 'busy' | 'no_answer' | 'failed' | 'canceled');
        /** Why the call ended: the `ended_reason` of its conversation (`api` for a request, `user_hangup`, `voicemail`, `transferred` …), or `busy`, `no_answer`, `dial_failed`, `canceled` or `platform_error`. */
        ended_reason: (string | null);
        /** The latest transfer to another number. Null without a transfer. */
        transfer: ({
          /** Telephone number in E.164. Null after erasure. */
          to: (string | null);
          status: ('requested' | 'ringing' | 'answered' | 'busy' | 'no_answer' | 'failed' | 'canceled');
        } | null);
        provider: string;
        provider_call_id: (string | null);
        user_id: (string | null);
        variables: { [name: string]: unknown };
        metadata: { [name: string]: string };
        /** Unix seconds. */
        answered_at: (number | null);
        /** Unix seconds. */
        ended_at: (number | null);
        /** Seconds from the answer to the end. Null if the call was not answered or has not ended. */
        duration_sec: (number | null);
      } | null);
      /** Escalations, newest first. */
      escalations: components['schemas']['Escalation'][];
    };
    /** All data about a customer. */
    CustomerExport: {
      user_id: string;
      /** Unix seconds. */
      exported_at: number;
      /** Conversations and calls, newest first, tests included. */
      activity: components['schemas']['ExportedActivity'][];
    };
    /** A conversation or a call of a customer, with the transcript and the private notes. */
    ExportedActivity: {
      /** Id of the conversation or, without one, of the call. */
      id: string;
      /** `call` is a call without a conversation, such as one that nobody answered. */
      type: ('conversation' | 'call');
      /** Creation time in Unix seconds. */
      created: number;
      conversation: (components['schemas']['Conversation'] & ({ [name: string]: unknown } | null));
      /** The call. Null for a conversation without a call. */
      call: ({
        /** Id of the call, `call_…`. */
        id: string;
        /** Creation time in Unix seconds. */
        created: number;
        agent_id: string;
        /** Conversation of the call. Null until the call is answered. */
        conversation_id: (string | null);
        direction: ('inbound' | 'outbound');
        from: (string | null);
        to: (string | null);
        status: ('queued' | 'ringing' | 'in_progress' | 'transferring' | 'completed' | 'busy' | 'no_answer' | 'failed' | 'canceled');
        /** Why the call ended: the `ended_reason` of its conversation (`api` for a request, `user_hangup`, `voicemail`, `transferred` …), or `busy`, `no_answer`, `dial_failed`, `canceled` or `platform_error`. */
        ended_reason: (string | null);
        /** The latest transfer to another number. Null without a transfer. */
        transfer: ({
          /** Telephone number in E.164. Null after erasure. */
          to: (string | null);
          status: ('requested' | 'ringing' | 'answered' | 'busy' | 'no_answer' | 'failed' | 'canceled');
        } | null);
        provider: string;
        provider_call_id: (string | null);
        user_id: (string | null);
        variables: { [name: string]: unknown };
        metadata: { [name: string]: string };
        /** Unix seconds. */
        answered_at: (number | null);
        /** Unix seconds. */
        ended_at: (number | null);
        /** Seconds from the answer to the end. Null if the call was not answered or has not ended. */
        duration_sec: (number | null);
      } | null);
      /** Escalations, newest first. */
      escalations: components['schemas']['Escalation'][];
      /** The turns of the conversation. Null for a call without one. */
      transcript: ({
        turns: components['schemas']['Turn'][];
      } | null);
      /** Private notes about the escalations, oldest first. */
      notes: components['schemas']['EscalationNote'][];
    };
    /** The erasure of a customer, which continues after the response. */
    CustomerErasure: {
      /** Id of the erasure, `era_…`. */
      id: string;
      /** Creation time in Unix seconds. */
      created: number;
      /** Null once the erasure is done. */
      user_id: (string | null);
      status: ('running' | 'done');
      /** What happens to undelivered events. */
      events: ('deliver' | 'cancel');
      /** Progress. `total` grows if more is found. */
      progress: {
        /** Conversations, and calls without one. Counted at the start. */
        total: number;
        /** Number erased so far. */
        done: number;
      };
      /** Number of canceled deliveries so far. */
      canceled_count: number;
      /** Unix seconds. */
      finished_at: (number | null);
    };
    /** A source of knowledge from which agents answer. */
    KnowledgeSource: {
      /** Id of the source, `ks_…`. */
      id: string;
      /** Creation time in Unix seconds. */
      created: number;
      /** Time of the last change in Unix seconds. */
      updated: number;
      /** DNS label. It never changes. */
      name: string;
      type: ('website' | 'file' | 'text' | 'integration');
      /** Text of a source of type `text`, up to a megabyte. Lists and the response to a sync leave it out. */
      text?: (string | null);
      /**  */
      website: ({
        /** Address of the first page. Must be an http or https URL in ASCII, such as https://example.com/hook, without user and password. */
        url: string;
        /** Maximum number of links to follow from the first page. 0 reads only that page. Default: 5. */
        max_depth?: number;
        /** Maximum number of pages. Default: 500. */
        max_pages?: number;
        /** Patterns of paths to include, such as /help/*. */
        include?: string[];
        /** Patterns of paths to exclude. */
        exclude?: string[];
        /** Pause between two requests, in milliseconds. 0 allows concurrent requests. Default: 500. */
        delay_ms?: number;
      } | null);
      /**  */
      integration: ({
        /** Address of the feed from which documents are read. Must be an http or https URL in ASCII, such as https://example.com/hook, without user and password. */
        url: string;
        /** Extra headers of the request. */
        headers?: { [name: string]: string };
        /** Secret that is sent as a bearer token. It must carry the label parley.dev/allow: "true". */
        secret_ref?: {
          /** Name of the Secret, in the same namespace. Must be a DNS name: lower-case letters, digits, hyphens and dots, a letter or digit at both ends. */
          name: string;
          /** Key inside the Secret. Must consist of letters, digits, dots, hyphens and underscores. */
          key: string;
        };
        /** Secret that signs the requests, in the same way as events. It must carry the label parley.dev/allow: "true". */
        signing_secret_ref?: {
          /** Name of the Secret, in the same namespace. Must be a DNS name: lower-case letters, digits, hyphens and dots, a letter or digit at both ends. */
          name: string;
          /** Key inside the Secret. Must consist of letters, digits, dots, hyphens and underscores. */
          key: string;
        };
      } | null);
      /** Must be @hourly, @daily, @weekly, @monthly or the five fields of cron, such as 0 3 * * *. */
      schedule: (string | null);
      /**  */
      embeddings: ({
        /** ModelProvider in the same namespace, or `default`. Must be a DNS label: at most 63 lower-case letters, digits and hyphens, without a hyphen at either end. */
        provider: string;
        /** Embedding model. Defaults to the provider's embeddings.defaultModel. */
        model?: string;
      } | null);
      metadata: { [name: string]: string };
      managed_by: ('api' | 'kubernetes' | 'file');
      /** Whether the source is active as declared. */
      ready: boolean;
      status_message: (string | null);
      /** `pending` if nothing is indexed yet. */
      status: ('pending' | 'syncing' | 'ready' | 'refreshing' | 'error');
      /** Number of indexed documents. */
      documents: number;
      /** Number of indexed passages. */
      chunks: number;
      /** Number of passages that are also found by their meaning. Null if the source is not embedded. */
      embedded: (number | null);
      /** Why the last attempt to embed passages failed. Null if it succeeded. */
      embedding_message: (string | null);
      /** Unix seconds. */
      last_synced_at: (number | null);
      last_sync: ({
        documents: number;
        added: number;
        updated: number;
        removed: number;
        failed: number;
        duration_sec: number;
      } | null);
      /** The unfinished sync of a website or an integration. Null without one. */
      sync: ({
        /** Id of the sync, `sync_…`. */
        id: string;
        status: ('queued' | 'running');
        /** Unix seconds. */
        requested_at: number;
        /** Number of documents found so far. */
        found: number;
        /** Number of those documents that were read. */
        read: number;
      } | null);
      /** Time of the next automatic sync: by schedule, or as a retry after a failure. Null if none is due. */
      next_sync_at: (number | null);
    };
    /** A document of a source. */
    KnowledgeDocument: {
      /** Id of the document, `doc_…`. */
      id: string;
      /** Creation time in Unix seconds. */
      created: number;
      /** Time of the last change in Unix seconds. */
      updated: number;
      source_id: string;
      /** Name of the document in its source, such as the name of a file. */
      path: string;
      title: string;
      /** Address at which people can open the document. */
      url: (string | null);
      /** ISO 639-1 code of the language, as declared or detected. Null if it is not known. */
      language: (string | null);
      bytes: number;
      chunks: number;
    };
    /** One sync of a website or an integration. */
    KnowledgeSync: {
      /** Id of the sync, `sync_…`. */
      id: string;
      /** Creation time in Unix seconds. */
      created: number;
      source_id: string;
      /** Why the sync was started: `request` (by the API), `declared` (the declaration changed), `schedule`, or `retry` (after a failure). */
      trigger: ('request' | 'declared' | 'schedule' | 'retry');
      status: ('queued' | 'running' | 'succeeded' | 'failed' | 'canceled');
      /** Unix seconds. */
      requested_at: number;
      /** Unix seconds. */
      started_at: (number | null);
      /** Unix seconds. */
      finished_at: (number | null);
      /** Number of documents found so far. */
      found: number;
      /** Number of documents that were read: the sum of the following four counts. */
      read: number;
      unchanged: number;
      /** New or changed documents. */
      changed: number;
      /** Documents that could not be read. Their indexed content stays. */
      failed: number;
      /** Documents that must not be read. Their indexed content is removed. */
      skipped: number;
      /** The first 100 failed or skipped documents. Lists leave this field out. */
      problems?: {
        path: string;
        kind: ('failed' | 'skipped');
        reason: string;
      }[];
      /** Machine-readable reason of a failed sync. Null otherwise. */
      reason: (string | null);
      /** Why the sync failed or was canceled. */
      error: (string | null);
      /** Number of documents after a successful sync, and what changed. Null otherwise. */
      result: ({
        documents: number;
        added: number;
        updated: number;
        removed: number;
        failed: number;
        duration_sec: number;
      } | null);
    };
    /** A passage that matches the question. */
    SearchHit: {
      /** Id of the source, `ks_…`, or of the gap if the passage is the answer to a gap, `gap_…`. */
      source_id: string;
      /** Id of the document, `doc_…`, or of the gap if the passage is the answer to a gap, `gap_…`. */
      document_id: string;
      /** Id of the passage, `chk_…`. */
      chunk_id: string;
      /** Headings above the passage, or the question if the passage is the answer to a gap. */
      heading: string;
      text: string;
      /** Estimated probability that the passage answers the question. Never above the score of a better hit. */
      score: number;
      /** Similarity in meaning of the question and the passage, at most 1. Null if it was not computed. */
      similarity: (number | null);
      why: components['schemas']['SearchHitReason'];
      /** Whether a reply would get this passage, according to `top_k` and `min_score` of the agent. Null without `agent_id`. */
      given: (boolean | null);
    };
    /** Why a passage was found. */
    SearchHitReason: {
      /** Words of the question that the passage contains, highest weight first. */
      matched: {
        /** Stem of a word of the question. */
        word: string;
        /** Matching word of the passage: the same word, a corrected one, or a synonym. */
        as: string;
        in: ('heading' | 'text' | 'both');
        /** Share of this word in the weight of the question. */
        weight: number;
      }[];
      /** Stems of the question's words that the passage does not contain. */
      missing: string[];
      /** Similarity of the question and the heading. Null if the heading is not a question. */
      likeness: (number | null);
    };
    /** A passage of the index. */
    KnowledgeChunk: {
      /** Id of the passage, `chk_…`. */
      id: string;
      /** Creation time in Unix seconds. */
      created: number;
      /** Id of the source, `ks_…`, or of the gap if the passage is the answer to a gap, `gap_…`. */
      source_id: string;
      /** Id of the document, `doc_…`, or of the gap if the passage is the answer to a gap, `gap_…`. */
      document_id: string;
      /** Id of the passage, `chk_…`. */
      chunk_id: string;
      /** Headings above the passage, or the question if the passage is the answer to a gap. */
      heading: string;
      text: string;
      /** The source of the passage. Null for the answer to a gap. */
      document_title: (string | null);
      /** Name of the document in its source. */
      path: (string | null);
      /** Address at which people can open the document. Null if it has no address. */
      url: (string | null);
    };
    /** A question that an agent could not answer. */
    KnowledgeGap: {
      /** Id of the gap, `gap_…`. */
      id: string;
      /** Creation time in Unix seconds. */
      created: number;
      /** Conversation in which the question was first asked. */
      conversation_id: string;
      agent_id: string;
      question: string;
      /** Score of the best passage. 0 if no passage was found. */
      top_score: number;
      status: ('open' | 'resolved');
      answer: (string | null);
      /** How often the question was asked. Immediate repeats in one conversation count once. */
      count: number;
      /** Unix seconds. */
      last_asked_at: number;
      /** Unix seconds. */
      resolved_at: (number | null);
    };
    /** A gap with the wordings of its question and the closest passages. */
    KnowledgeGapDetail: {
      /** Id of the gap, `gap_…`. */
      id: string;
      /** Creation time in Unix seconds. */
      created: number;
      /** Conversation in which the question was first asked. */
      conversation_id: string;
      agent_id: string;
      question: string;
      /** Score of the best passage. 0 if no passage was found. */
      top_score: number;
      status: ('open' | 'resolved');
      answer: (string | null);
      /** How often the question was asked. Immediate repeats in one conversation count once. */
      count: number;
      /** Unix seconds. */
      last_asked_at: number;
      /** Unix seconds. */
      resolved_at: (number | null);
      /** Wordings of the question, at most 20, most frequent first. */
      questions: {
        text: string;
        count: number;
        /** Unix seconds. */
        last_asked_at: number;
      }[];
      /** Closest passages when the question was first asked, best first, at most 5. */
      closest: {
        /** Id of the source, `ks_…`, or of the gap if the passage is the answer to a gap, `gap_…`. */
        source_id: string;
        /** Id of the document, `doc_…`, or of the gap if the passage is the answer to a gap, `gap_…`. */
        document_id: string;
        /** Id of the passage, `chk_…`. */
        chunk_id: string;
        /** Headings above the passage. Null if the passage no longer exists. */
        heading: (string | null);
        /** Current text of the passage. Null if the passage no longer exists. */
        text: (string | null);
        /** Score when the gap was first asked. */
        score: number;
      }[];
    };
    /** Whether the questions of a gap have an answer now. */
    KnowledgeGapCheck: {
      /** Whether every question has an answer now. */
      answered: boolean;
      questions: {
        question: string;
        /** Whether a reply would get a passage for this question. */
        answered: boolean;
        /** Score of the best passage, even if a reply would not get it. 0 if no passage was found. */
        score: number;
        /** Id of the source, `ks_…`, or of the gap if the passage is the answer to a gap, `gap_…`. Null without an answer. */
        source_id: (string | null);
        /** Id of the document, `doc_…`, or of the gap if the passage is the answer to a gap, `gap_…`. Null without an answer. */
        document_id: (string | null);
        /** Id of the passage that a reply would get first, `chk_…`. Null without an answer. */
        chunk_id: (string | null);
      }[];
    };
    /** Result of a test of a model provider. */
    ModelProviderTest: {
      /** Whether the provider answered. */
      ok: boolean;
      /** `chat` if the default model answered a message; `models` without a default model, where the list of models is the whole test. */
      checked: ('chat' | 'models');
      /** Model that answered. */
      model: (string | null);
      /** First 200 characters of the answer. */
      text: (string | null);
      /** Duration of the request. */
      latency_ms: number;
      /** Time to the first part of the answer. */
      first_token_ms: (number | null);
      /** The provider's models, at most 500. Null if it does not list them. */
      models: (string[] | null);
      error: ({
        /** Code, the same as in the `error` of a turn. */
        code: ('model_unreachable' | 'model_timeout' | 'model_unauthorized' | 'model_rate_limited' | 'model_refused' | 'model_content_filter' | 'model_failed' | 'model_invalid_answer');
        /** The cause, and what to do. */
        message: string;
      } | null);
    };
    /** A provider of models. */
    ModelProvider: {
      /** Id of the resource, `mp_…`. */
      id: string;
      /** Creation time in Unix seconds. */
      created: number;
      /** Time of the last change in Unix seconds. */
      updated: number;
      /** Name by which agents refer to the provider. It never changes. */
      name: string;
      /** Base URL of an OpenAI-compatible API. */
      base_url: string;
      /**  */
      api_key_secret_ref: ({
        /** Name of the Secret, in the same namespace. Must be a DNS name: lower-case letters, digits, hyphens and dots, a letter or digit at both ends. */
        name: string;
        /** Key inside the Secret. Must consist of letters, digits, dots, hyphens and underscores. */
        key: string;
      } | null);
      /**  */
      api_key_header: ('authorization' | 'api-key' | 'x-api-key' | null);
      /** Must be visible ASCII without spaces. */
      organization: (string | null);
      /** Must be visible ASCII without spaces. */
      project: (string | null);
      /**  */
      chat: ({
        /** Default model of agents, as the provider names it. */
        default_model?: string;
        /** Models that agents may use. If absent, agents may use every model. */
        models?: string[];
        /** Timeouts of a response. */
        timeouts?: {
          /** Maximum wait for the first part of a response, in milliseconds. Default: 15000. */
          first_token_ms?: number;
          /** Maximum wait between two parts of a response, in milliseconds. Default: 15000. */
          between_tokens_ms?: number;
          /** Maximum duration of a response, in milliseconds. Default: 120000. */
          total_ms?: number;
        };
        /** Price of tokens for all chat models of the provider. It determines the cost of a turn. */
        pricing?: {
          /** ISO 4217 code, such as USD. Must be a currency code of three capital letters, such as USD. */
          currency: string;
          /** Price of a million input tokens. */
          input_per_million_tokens: number;
          /** Price of a million output tokens. */
          output_per_million_tokens: number;
          /** Price of a million input tokens that the provider had cached. Defaults to the price of input tokens. */
          cached_input_per_million_tokens?: number;
        };
      } | null);
      /**  */
      embeddings: ({
        /** Default embedding model of knowledge sources. */
        default_model: string;
        /** Number of dimensions to request, for models that support it. Defaults to the model's own number. */
        dimensions?: number;
        /** Maximum number of texts in one request. Default: 64. */
        batch_size?: number;
      } | null);
      /**  */
      speech: ({
        /** Default speech model of agents. */
        default_model: string;
        /** Default voice of agents, as the provider names it. */
        default_voice: string;
        /** Speech models that agents may use. If absent, agents may use every model. */
        models?: string[];
      } | null);
      /**  */
      transcription: ({
        /** Default transcription model of agents. */
        default_model: string;
        /** Transcription models that agents may use. If absent, agents may use every model. */
        models?: string[];
      } | null);
      /**  */
      limits: ({
        /** Maximum number of concurrent requests of each API process. Unlimited if absent. */
        max_concurrent_requests?: number;
      } | null);
      headers: { [name: string]: string };
      query: { [name: string]: string };
      metadata: { [name: string]: string };
      managed_by: ('api' | 'kubernetes' | 'file');
      /** Whether the provider is active as declared and responds. */
      ready: boolean;
      status_message: (string | null);
    };
    /** An account at a carrier, and its numbers. */
    TelephonyProvider: {
      /** Id of the resource, `tp_…`. */
      id: string;
      /** Creation time in Unix seconds. */
      created: number;
      /** Time of the last change in Unix seconds. */
      updated: number;
      /** Name by which calls refer to it; never changes. */
      name: string;
      type: ('twilio' | 'telnyx' | 'plivo');
      /** Id of the account at the carrier. */
      account_id: string;
      /**  */
      auth_token_secret_ref: ({
        /** Name of the Secret, in the same namespace. Must be a DNS name: lower-case letters, digits, hyphens and dots, a letter or digit at both ends. */
        name: string;
        /** Key inside the Secret. Must consist of letters, digits, dots, hyphens and underscores. */
        key: string;
      } | null);
      /** Must be the account's public key as the carrier shows it: 44 characters, the base64 of 32 bytes. */
      public_key: (string | null);
      /** Must be an account id of letters, digits, hyphens and underscores. */
      application_id: (string | null);
      /** Must be an http or https URL in ASCII, such as https://api.example.com/v1, without user, password, query and fragment. */
      api_url: (string | null);
      /**  */
      outbound: ({
        /** ISO 3166-1 codes of the countries whose numbers may be called. */
        countries: string[];
        /** Maximum number of concurrent outbound calls; default 10. */
        max_concurrent_calls?: number;
        /** Maximum number of calls placed per minute; default 60. */
        max_calls_per_minute?: number;
        /** Seconds to ring before the call counts as not answered; default 30. */
        ring_sec?: number;
        /** Text spoken to a voicemail that answers; default: none. */
        voicemail_message?: string;
      } | null);
      /**  */
      inbound: ({
        /** Maximum number of concurrent inbound calls; default 100. */
        max_concurrent_calls?: number;
        /** Text spoken to callers while maxConcurrentCalls is reached; default: they hear the busy tone. */
        busy_message?: string;
        /** Text spoken to a caller if no agent can answer. */
        closed_message?: string;
      } | null);
      /** The numbers as declared. */
      numbers: {
        /** Telephone number in E.164. */
        number: string;
        /** Name of the agent that answers the number. */
        agent: string;
        /** Version of the agent. If absent, the live version. */
        version?: number;
        /** Hours in which the number is answered, as declared. If absent, always. */
        hours?: { [name: string]: unknown };
      }[];
      metadata: { [name: string]: string };
      managed_by: ('api' | 'kubernetes' | 'file');
      /** Whether everything is active as declared. */
      ready: boolean;
      status_message: (string | null);
    };
    /** Token and address with which a web page opens talks with an agent. */
    TalkToken: {
      /** The token, `talk_…`. The page sends it in the first frame of the socket. */
      token: string;
      /** Unix seconds. */
      expires_at: number;
      /** Address of the WebSocket (ws:// or wss://). */
      socket_url: string;
      agent: {
        id: string;
        display_name: (string | null);
        language: (string | null);
      };
      /** Contains `voice` if ModelProviders recognize and synthesize the speech. */
      modes: ('chat' | 'voice')[];
    };
    /** An API key. It works in its own namespace only. */
    ApiKey: {
      /** Id of the key, `key_…`. */
      id: string;
      /** Creation time in Unix seconds. */
      created: number;
      name: string;
      scopes: ('read' | 'write' | 'publish' | 'replay' | 'keys')[];
      /** First characters of the key, to tell keys apart. */
      prefix: string;
      /** Last use, accurate to about a minute. */
      last_used_at: (number | null);
      /** Time at which the key expires, as set on creation or by a rotation. Null if it does not expire. */
      expires_at: (number | null);
    };
    /** A new API key, including the key itself. */
    CreatedApiKey: {
      /** Id of the key, `key_…`. */
      id: string;
      /** Creation time in Unix seconds. */
      created: number;
      name: string;
      scopes: ('read' | 'write' | 'publish' | 'replay' | 'keys')[];
      /** First characters of the key, to tell keys apart. */
      prefix: string;
      /** Last use, accurate to about a minute. */
      last_used_at: (number | null);
      /** Time at which the key expires, as set on creation or by a rotation. Null if it does not expire. */
      expires_at: (number | null);
      /** The key itself. Only this response shows it. */
      key: string;
    };
    /** A session of a person who signed in. It has the scopes of its key. */
    Session: {
      /** Id of the session, `ses_…`. */
      id: string;
      /** Creation time in Unix seconds. */
      created: number;
      /** Name of the person, as entered at sign-in. */
      name: string;
      /** Id of the key with which the session was created, `key_…`. */
      api_key_id: string;
      /** Scopes of the session's key. */
      scopes: ('read' | 'write' | 'publish' | 'replay' | 'keys')[];
      namespace: string;
      /** Latest time at which the session ends, however it is used. It ends earlier if its key expires earlier. */
      expires_at: number;
      /** Time at which the session ends unless it is used before. */
      idle_expires_at: number;
      /** Last use, accurate to about 30 seconds. */
      last_seen_at: number;
    };
    /** The caller and its scopes. */
    Me: {
      namespace: string;
      /** Name in histories: `api:key_…` or `session:<name>`. */
      actor: string;
      /** Name of the person. Null without a session. */
      name: (string | null);
      /** Scopes of the caller. */
      scopes: ('read' | 'write' | 'publish' | 'replay' | 'keys')[];
      /** The API key of the request, or the key with which the session was created. */
      api_key: {
        /** Id of the key, `key_…`. */
        id: string;
        name: string;
        /** First characters of the key, to tell keys apart. */
        prefix: string;
        /** Null if the key does not expire. */
        expires_at: (number | null);
      };
      /** The session of the caller. Null without a session. */
      session: ({
        /** Id of the session, `ses_…`. */
        id: string;
        /** Creation time in Unix seconds. */
        created: number;
        /** Latest time at which the session ends, however it is used. It ends earlier if its key expires earlier. */
        expires_at: number;
        /** Time at which the session ends unless it is used before. */
        idle_expires_at: number;
      } | null);
      /** Version of the server that responds. */
      version: string;
    };
    /** An entry of the append-only audit log. */
    AuditLine: {
      /** Id of the entry, `aud_…`. */
      id: string;
      /** Creation time in Unix seconds. */
      created: number;
      /** Actor: `api:key_…`, `session:<name>`, `kubernetes:<manager>`, `file`, `cli` or `environment`. */
      actor: string;
      /** Id of the session, `ses_…`. Null without a session. The entry `session.created` names the key with which the session was created. */
      session_id: (string | null);
      /** Action, such as `api_key.rotated`. */
      action: string;
      /** Id of the object that the action affected. */
      target: string;
      /** Changed fields before the action. Null if the object did not exist. */
      before: ({ [name: string]: unknown } | null);
      /** Changed fields after the action. Null if the object no longer exists. */
      after: ({ [name: string]: unknown } | null);
      detail: { [name: string]: unknown };
      /** `unknown` if the action began but its result is not known. */
      outcome: ('done' | 'unknown');
      /** IP address of the other end of the connection, which may be a proxy. */
      address: (string | null);
      user_agent: (string | null);
      request_id: (string | null);
    };
    /** Limits of a namespace and their usage. */
    Usage: {
      /** Quotas of the namespace. */
      quotas: {
        agents: components['schemas']['Used'];
        webhook_endpoints: components['schemas']['Used'];
        knowledge_sources: components['schemas']['Used'];
        model_providers: components['schemas']['Used'];
        telephony_providers: components['schemas']['Used'];
        knowledge_bytes: components['schemas']['Used'];
        api_keys: components['schemas']['Used'];
      };
      /** Concurrent work in the process that responds; for `replay_jobs`, in all processes together. */
      in_flight: {
        event_streams: components['schemas']['UsedShares'];
        message_streams: components['schemas']['UsedShares'];
        uploads: components['schemas']['UsedShares'];
        replay_requests: components['schemas']['UsedShares'];
        replay_jobs: components['schemas']['UsedShares'];
      };
    };
    /** A limit and its current usage. */
    Used: {
      /** The limit. Null means unlimited. */
      limit: (number | null);
      used: number;
    };
    /** Limits of concurrent work, for the API key and for the namespace. */
    UsedShares: {
      /** Usage of the calling API key. */
      api_key: {
        /** The limit. Null means unlimited. */
        limit: (number | null);
        used: number;
      };
      namespace: components['schemas']['Used'];
    };
  };
}

export interface paths {
  '/v1/agents': Only<{
    /** List agents, newest first */
    get: {
      parameters: {
        query?: {
          name?: string;
          managed_by?: ('api' | 'kubernetes' | 'file');
          ready?: boolean;
          /** Name of a model provider that the agent, or one of its fallbacks, names. */
          model_provider?: string;
          /** Maximum number of items in a page. */
          limit?: number;
          /** `next_cursor` of the previous page. */
          cursor?: string;
        };
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: { headers: { [name: string]: unknown }; content: {
          'application/json': {
            data: components['schemas']['Agent'][];
            has_more: boolean;
            /** Value of `cursor` for the next page. Null on the last page. */
            next_cursor: (string | null);
          };
        } };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
    /** Create an agent */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** Makes a request safe to repeat. For 24 hours, the same request gets the same response, with `Idempotency-Replayed: true`. */
          'Idempotency-Key'?: string;
        };
        path?: never;
        cookie?: never;
      };
      requestBody: { content: {
        'application/json': {
          /** DNS label, unique in the namespace. Default: derived from `display_name`. Must be a DNS label: at most 63 lower-case letters, digits and hyphens, without a hyphen at either end. */
          name?: string;
          /** Name shown to people. */
          display_name?: string;
          /** Instructions that the agent follows. */
          prompt: string;
          /** Voice of the agent: text to speech. */
          voice?: {
            /** Speech provider (TTS): a ModelProvider with speech in the same namespace, or a provider that the carrier supports. */
            provider?: string;
            /** Speech model. Defaults to the provider's default model. */
            model?: string;
            /** The provider's id of the voice. */
            voice_id?: string;
            /** BCP 47 tag of the spoken language, such as en-GB. Must be a language tag, such as en or pt-BR. */
            language?: string;
            /** Speed of the speech. 1 is the normal speed. */
            speed?: number;
            /** Fallbacks in order of preference, used when the first provider fails. */
            fallback?: {
              /** Provider of the fallback. Defaults to the provider of the voice. */
              provider?: string;
              /** Speech model. Defaults to the provider's default model. */
              model?: string;
              /** The provider's id of the voice. Defaults to the voice of the agent if the provider is the same, otherwise to the provider's default voice. */
              voice_id?: string;
            }[];
          };
          /** How the agent hears users: speech to text. */
          transcriber?: {
            /** Transcription provider (STT): a ModelProvider with transcription in the same namespace, or a provider that the carrier supports. */
            provider?: string;
            /** Transcription model. Defaults to the provider's default model. */
            model?: string;
            /** BCP 47 tag of the language that users speak, such as en-GB. Must be a language tag, such as en or pt-BR. */
            language?: string;
            /** Names and words that users are likely to say and that are hard to recognize. */
            keywords?: string[];
            /** If true, the transcriber finds the last word that was played before an interruption: it also transcribes the agent's interrupted sentence, in two requests. If false, that position is estimated from the audio. Default: false. */
            retranscribe_interrupted?: boolean;
            /** Fallbacks in order of preference, used when the first provider fails. */
            fallback?: {
              /** Provider of the fallback. Defaults to the provider of the transcriber. */
              provider?: string;
              /** Transcription model. Defaults to the provider's default model. */
              model?: string;
            }[];
          };
          /** Tools that the agent can use. */
          tools?: {
            /** Type of the tool, which determines what happens when the agent uses it. */
            type: ('webhook' | 'end_call' | 'transfer_call' | 'knowledge_search' | 'handoff');
            /** Name by which the model calls the tool. Unique within the agent. Must contain only letters, digits, underscores and hyphens, and begin with a letter or an underscore. */
            name: string;
            /** Explains to the model when to use the tool. */
            description?: string;
            /** JSON Schema of the arguments that the model fills in; at most 64 KiB, 2000 members and elements, 64 deep. */
            parameters?: { [name: string]: unknown };
            /** Address that a webhook tool calls. Must be an http or https URL in ASCII, such as https://example.com/hook, without user and password. */
            url?: string;
            /** HTTP method of a webhook tool. Default: POST. */
            method?: ('GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE');
            /** Extra headers of the request. */
            headers?: { [name: string]: string };
            /** Secret that is sent as a bearer token. It must carry the label parley.dev/allow: "true". */
            secret_ref?: {
              /** Name of the Secret, in the same namespace. Must be a DNS name: lower-case letters, digits, hyphens and dots, a letter or digit at both ends. */
              name: string;
              /** Key inside the Secret. Must consist of letters, digits, dots, hyphens and underscores. */
              key: string;
            };
            /** Secret that signs the requests, in the same way as events. It must carry the label parley.dev/allow: "true". */
            signing_secret_ref?: {
              /** Name of the Secret, in the same namespace. Must be a DNS name: lower-case letters, digits, hyphens and dots, a letter or digit at both ends. */
              name: string;
              /** Key inside the Secret. Must consist of letters, digits, dots, hyphens and underscores. */
              key: string;
            };
            /** Maximum wait for the whole response, in milliseconds. Default: 8000. */
            timeout_ms?: number;
            /** Agent in the same namespace to which a handoff tool gives the conversation. Must be a DNS label: at most 63 lower-case letters, digits and hyphens, without a hyphen at either end. */
            agent?: string;
            /** Version of that agent. If absent, the version that is active when this agent's version goes live. */
            version?: number;
            /** Bearer token, which no response shows. Parley stores it in a Secret of its own and sets `secret_ref`. Must have 1 to 8192 visible ASCII characters without spaces. */
            secret?: string;
            /** Key of the signatures, which no response shows: `whsec_` followed by 24 to 64 bytes in base64. Parley stores it in a Secret of its own and sets `signing_secret_ref`. */
            signing_secret?: string;
          }[];
          /** First message of the agent. */
          first_message?: string;
          /** Whether the user can interrupt the first message in a call. Default: true. */
          first_message_interruptible?: boolean;
          /** BCP 47 tag of the language, such as en-GB. Must be a language tag, such as en or pt-BR. */
          language?: string;
          /** The language model and its settings. */
          model?: {
            /** ModelProvider in the same namespace. If absent or `default`, the provider of the operator's settings. Must be a DNS label: at most 63 lower-case letters, digits and hyphens, without a hyphen at either end. */
            provider?: string;
            /** Name of the model. Defaults to the provider's default model. */
            name?: string;
            /** Sampling temperature. */
            temperature?: number;
            /** Maximum number of tokens in one reply. */
            max_tokens?: number;
            /** Fallback models in order of preference, used when the first model cannot answer. */
            fallback?: {
              /** ModelProvider in the same namespace. If absent or `default`, the provider of the operator's settings. Must be a DNS label: at most 63 lower-case letters, digits and hyphens, without a hyphen at either end. */
              provider?: string;
              /** Name of the model. Defaults to the provider's default model. */
              name?: string;
            }[];
          };
          /** Knowledge from which the agent answers. */
          knowledge?: {
            /** Answers from every knowledge source of the namespace, including future ones. */
            all?: boolean;
            /** Answers from the knowledge sources of the namespace whose metadata matches. */
            selector?: {
              /** Pairs that the metadata of a source must contain. */
              match_metadata: { [name: string]: string };
            };
            /** Ids of the knowledge sources to answer from. */
            source_ids?: string[];
            /** Names of the knowledge sources to answer from, in the same namespace. */
            source_names?: string[];
            /** Maximum number of passages given to a reply. */
            top_k?: number;
            /** Minimum score of a passage. If no passage reaches it, the question is a knowledge gap. */
            min_score?: number;
          };
          /** When and how a human takes over. */
          escalation?: {
            /** Rules that request a human. */
            rules?: {
              /** Condition that requests a human. */
              when: ('user_request' | 'keyword' | 'tool_failure' | 'low_confidence' | 'mood' | 'turn_limit');
              /** Words of the user that request a human. Required with `keyword`. */
              keywords?: string[];
              /** Number of consecutive occurrences, for tool_failure, low_confidence and mood. For turn_limit, the number of user messages. */
              count?: number;
              /** Reason shown with the escalation. */
              reason?: string;
              /** Team to request for this rule, instead of the team of the escalation. */
              team?: string;
            }[];
            /** How long to wait for a human to accept, in seconds. */
            timeout_sec?: number;
            /** Label of the people to request, such as a team, a skill or a language. */
            team?: string;
            /** Team to request next if nobody accepts in time. If absent, the agent continues. */
            fallback_team?: string;
            /** Telephone number to ring when a human is requested during a telephone call. If absent, people write or speak through the API. */
            telephone?: {
              /** Telephone number in E.164, such as +442071838750. Must be a phone number such as +442071838750: a plus sign and 7 to 15 digits. */
              to: string;
            };
            /** Working hours of the people. If absent, people are always available. */
            hours?: {
              /** IANA name of the time zone, such as Europe/Berlin. Must be an IANA time zone name, such as Europe/Berlin. */
              time_zone: string;
              /** Periods in which people are available, on each of the listed days. */
              open: {
                /** Days of the week. */
                days: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[];
                /** Start of the period, such as 09:00. Must be a time from 00:00 to 24:00, such as 09:30. */
                from: string;
                /** End of the period, exclusive, such as 17:30. 24:00 is the end of the day. Must be a time from 00:00 to 24:00, such as 09:30. */
                to: string;
              }[];
              /** Dates on which nobody is available. */
              closed_on?: string[];
              /** Text for the user when nobody is available. {{opens}} is replaced by the time at which somebody is available again. */
              closed_message?: string;
            };
          };
          /** Limits after which a conversation ends. */
          limits?: {
            /** Maximum duration of a conversation in seconds. It then ends. */
            max_duration_sec?: number;
            /** Maximum silence of the user in seconds. The conversation then ends. */
            silence_timeout_sec?: number;
          };
          /** Kinds of sensitive data to remove from what users write and say, before it is stored or read. */
          redaction?: ('card' | 'email' | 'phone' | 'iban')[];
          /** How an ended conversation is judged. */
          judgement?: {
            /** How to judge. `rule` (the default): a rule that uses counted data. `model`: a language model in addition to the rule. */
            by: ('rule' | 'model');
            /** Model that judges. Defaults to the agent's own model. */
            model?: {
              /** ModelProvider in the same namespace. If absent or `default`, the default provider. Must be a DNS label: at most 63 lower-case letters, digits and hyphens, without a hyphen at either end. */
              provider?: string;
              /** Name of the model. Defaults to the provider's default model. */
              name?: string;
            };
            /** Possible topics of a conversation. If absent, the model names the topics itself. */
            topics?: string[];
          };
          /** Your own key-value pairs. Parley stores and returns them, and does not interpret them. */
          metadata?: { [name: string]: string };
          /** Web pages that may talk with the agent. If absent, none may. */
          widget?: {
            /** Origins of the web pages that may talk with the agent, such as https://shop.example.com, capacitor://localhost or https://*.preview.example.com. */
            allowed_origins: string[];
            /** Maximum number of concurrent talks by voice. Also the maximum number of new talks of each mode per minute from one IP address. Default: 100. */
            max_concurrent?: number;
          };
          /** `automatic` (the default): new content goes live immediately. `manual`: new content waits until it is published. `progressive`: new content gets its share of conversations in the steps of `rollout`. */
          publish_policy?: ('automatic' | 'manual' | 'progressive');
          /** Steps and checks of the policy `progressive`. */
          rollout?: {
            /** Steps of the rollout. Their weights rise; after the last one the version is live. */
            steps: {
              /** Share of new conversations that the new version gets, in percent. */
              weight: number;
              /** Conversations of the new version that must have ended before the next step. */
              min_conversations: number;
            }[];
            /** Longest time of a step, such as 90m, 72h or 7d. The rollout is then held. Default: 72h. Must be a number of minutes, hours or days: 72h. */
            max_duration?: string;
            /** Figures in which the new version must not be worse. */
            checks: {
              /** Figure in which the two versions are compared. */
              metric: ('escalation_rate' | 'resolution_rate' | 'gap_rate' | 'unanswered_rate' | 'tool_failure_rate' | 'csat_average' | 'turn_latency_p95_ms');
              /** Difference from which the new version counts as worse, in the unit of the metric. */
              worse_by: number;
            }[];
            /** Webhook that confirms each next step, and the end of the rollout. */
            confirm?: {
              /** Address of the webhook, which answers confirm, hold or abort. Must be an http or https URL in ASCII, such as https://example.com/hook, without user and password. */
              url: string;
              /** Secret that signs the requests, in the same way as events. It must carry the label parley.dev/allow: "true". */
              signing_secret_ref: {
                /** Name of the Secret, in the same namespace. Must be a DNS name: lower-case letters, digits, hyphens and dots, a letter or digit at both ends. */
                name: string;
                /** Key inside the Secret. Must consist of letters, digits, dots, hyphens and underscores. */
                key: string;
              };
              /** Maximum wait for the whole answer, in milliseconds. Default: 8000. */
              timeout_ms?: number;
            };
            /** What happens if the new version is worse. Default: abort. */
            on_fail?: ('abort' | 'hold');
            /** `keep` (the default): conversations in progress keep the new version after an abort. `escalate`: Parley also requests a human for each conversation. */
            on_abort?: ('keep' | 'escalate');
          };
        };
      } };
      responses: {
        201: { headers: { [name: string]: unknown }; content: {
          'application/json': components['schemas']['Agent'];
        } };
        202: { headers: { [name: string]: unknown }; content: {
          'application/json': components['schemas']['Agent'];
        } };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter' | 'malformed_json')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        409: Refused<('idempotency_in_progress' | 'name_taken' | 'quota_exceeded')>;
        413: Refused<'body_too_large'>;
        415: Refused<'unsupported_media_type'>;
        422: Refused<('invalid_body' | 'idempotency_key_reused')>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
  }>;
  '/v1/agents/{id}': Only<{
    /** Read an agent */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Id of the agent. */
          id: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: { headers: { [name: string]: unknown }; content: {
          'application/json': components['schemas']['Agent'];
        } };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        404: Refused<'not_found'>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
    /** Change an agent */
    patch: {
      parameters: {
        query?: never;
        header?: {
          /** An `ETag` from an earlier response, or `*`. If the resource was changed since, the request is rejected with 412. */
          'If-Match'?: string;
        };
        path: {
          /** Id of the agent. */
          id: string;
        };
        cookie?: never;
      };
      requestBody: { content: {
        'application/json': {
          name?: unknown;
          /** Name shown to people. */
          display_name?: (string | null);
          /** Instructions that the agent follows. */
          prompt?: (string | null);
          /** Voice of the agent: text to speech. */
          voice?: ({
            /** Speech provider (TTS): a ModelProvider with speech in the same namespace, or a provider that the carrier supports. */
            provider?: (string | null);
            /** Speech model. Defaults to the provider's default model. */
            model?: (string | null);
            /** The provider's id of the voice. */
            voice_id?: (string | null);
            /** BCP 47 tag of the spoken language, such as en-GB. Must be a language tag, such as en or pt-BR. */
            language?: (string | null);
            /** Speed of the speech. 1 is the normal speed. */
            speed?: (number | null);
            /** Fallbacks in order of preference, used when the first provider fails. */
            fallback?: ({
              /** Provider of the fallback. Defaults to the provider of the voice. */
              provider?: string;
              /** Speech model. Defaults to the provider's default model. */
              model?: string;
              /** The provider's id of the voice. Defaults to the voice of the agent if the provider is the same, otherwise to the provider's default voice. */
              voice_id?: string;
            }[] | null);
          } | null);
          /** How the agent hears users: speech to text. */
          transcriber?: ({
            /** Transcription provider (STT): a ModelProvider with transcription in the same namespace, or a provider that the carrier supports. */
            provider?: (string | null);
            /** Transcription model. Defaults to the provider's default model. */
            model?: (string | null);
            /** BCP 47 tag of the language that users speak, such as en-GB. Must be a language tag, such as en or pt-BR. */
            language?: (string | null);
            /** Names and words that users are likely to say and that are hard to recognize. */
            keywords?: (string[] | null);
            /** If true, the transcriber finds the last word that was played before an interruption: it also transcribes the agent's interrupted sentence, in two requests. If false, that position is estimated from the audio. Default: false. */
            retranscribe_interrupted?: (boolean | null);
            /** Fallbacks in order of preference, used when the first provider fails. */
            fallback?: ({
              /** Provider of the fallback. Defaults to the provider of the transcriber. */
              provider?: string;
              /** Transcription model. Defaults to the provider's default model. */
              model?: string;
            }[] | null);
          } | null);
          /** Tools that the agent can use. */
          tools?: ({
            /** Type of the tool, which determines what happens when the agent uses it. */
            type: ('webhook' | 'end_call' | 'transfer_call' | 'knowledge_search' | 'handoff');
            /** Name by which the model calls the tool. Unique within the agent. Must contain only letters, digits, underscores and hyphens, and begin with a letter or an underscore. */
            name: string;
            /** Explains to the model when to use the tool. */
            description?: string;
            /** JSON Schema of the arguments that the model fills in; at most 64 KiB, 2000 members and elements, 64 deep. */
            parameters?: { [name: string]: unknown };
            /** Address that a webhook tool calls. Must be an http or https URL in ASCII, such as https://example.com/hook, without user and password. */
            url?: string;
            /** HTTP method of a webhook tool. Default: POST. */
            method?: ('GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE');
            /** Extra headers of the request. */
            headers?: { [name: string]: string };
            /** Secret that is sent as a bearer token. It must carry the label parley.dev/allow: "true". */
            secret_ref?: {
              /** Name of the Secret, in the same namespace. Must be a DNS name: lower-case letters, digits, hyphens and dots, a letter or digit at both ends. */
              name: string;
              /** Key inside the Secret. Must consist of letters, digits, dots, hyphens and underscores. */
              key: string;
            };
            /** Secret that signs the requests, in the same way as events. It must carry the label parley.dev/allow: "true". */
            signing_secret_ref?: {
              /** Name of the Secret, in the same namespace. Must be a DNS name: lower-case letters, digits, hyphens and dots, a letter or digit at both ends. */
              name: string;
              /** Key inside the Secret. Must consist of letters, digits, dots, hyphens and underscores. */
              key: string;
            };
            /** Maximum wait for the whole response, in milliseconds. Default: 8000. */
            timeout_ms?: number;
            /** Agent in the same namespace to which a handoff tool gives the conversation. Must be a DNS label: at most 63 lower-case letters, digits and hyphens, without a hyphen at either end. */
            agent?: string;
            /** Version of that agent. If absent, the version that is active when this agent's version goes live. */
            version?: number;
            /** Bearer token, which no response shows. Parley stores it in a Secret of its own and sets `secret_ref`. Must have 1 to 8192 visible ASCII characters without spaces. */
            secret?: string;
            /** Key of the signatures, which no response shows: `whsec_` followed by 24 to 64 bytes in base64. Parley stores it in a Secret of its own and sets `signing_secret_ref`. */
            signing_secret?: string;
          }[] | null);
          /** First message of the agent. */
          first_message?: (string | null);
          /** Whether the user can interrupt the first message in a call. Default: true. */
          first_message_interruptible?: (boolean | null);
          /** BCP 47 tag of the language, such as en-GB. Must be a language tag, such as en or pt-BR. */
          language?: (string | null);
          /** The language model and its settings. */
          model?: ({
            /** ModelProvider in the same namespace. If absent or `default`, the provider of the operator's settings. Must be a DNS label: at most 63 lower-case letters, digits and hyphens, without a hyphen at either end. */
            provider?: (string | null);
            /** Name of the model. Defaults to the provider's default model. */
            name?: (string | null);
            /** Sampling temperature. */
            temperature?: (number | null);
            /** Maximum number of tokens in one reply. */
            max_tokens?: (number | null);
            /** Fallback models in order of preference, used when the first model cannot answer. */
            fallback?: ({
              /** ModelProvider in the same namespace. If absent or `default`, the provider of the operator's settings. Must be a DNS label: at most 63 lower-case letters, digits and hyphens, without a hyphen at either end. */
              provider?: string;
              /** Name of the model. Defaults to the provider's default model. */
              name?: string;
            }[] | null);
          } | null);
          /** Knowledge from which the agent answers. */
          knowledge?: ({
            /** Answers from every knowledge source of the namespace, including future ones. */
            all?: (boolean | null);
            /** Answers from the knowledge sources of the namespace whose metadata matches. */
            selector?: ({
              /** Pairs that the metadata of a source must contain. */
              match_metadata?: ({ [name: string]: (string | null) } | null);
            } | null);
            /** Ids of the knowledge sources to answer from. */
            source_ids?: (string[] | null);
            /** Names of the knowledge sources to answer from, in the same namespace. */
            source_names?: (string[] | null);
            /** Maximum number of passages given to a reply. */
            top_k?: (number | null);
            /** Minimum score of a passage. If no passage reaches it, the question is a knowledge gap. */
            min_score?: (number | null);
          } | null);
          /** When and how a human takes over. */
          escalation?: ({
            /** Rules that request a human. */
            rules?: ({
              /** Condition that requests a human. */
              when: ('user_request' | 'keyword' | 'tool_failure' | 'low_confidence' | 'mood' | 'turn_limit');
              /** Words of the user that request a human. Required with `keyword`. */
              keywords?: string[];
              /** Number of consecutive occurrences, for tool_failure, low_confidence and mood. For turn_limit, the number of user messages. */
              count?: number;
              /** Reason shown with the escalation. */
              reason?: string;
              /** Team to request for this rule, instead of the team of the escalation. */
              team?: string;
            }[] | null);
            /** How long to wait for a human to accept, in seconds. */
            timeout_sec?: (number | null);
            /** Label of the people to request, such as a team, a skill or a language. */
            team?: (string | null);
            /** Team to request next if nobody accepts in time. If absent, the agent continues. */
            fallback_team?: (string | null);
            /** Telephone number to ring when a human is requested during a telephone call. If absent, people write or speak through the API. */
            telephone?: ({
              /** Telephone number in E.164, such as +442071838750. Must be a phone number such as +442071838750: a plus sign and 7 to 15 digits. */
              to?: (string | null);
            } | null);
            /** Working hours of the people. If absent, people are always available. */
            hours?: ({
              /** IANA name of the time zone, such as Europe/Berlin. Must be an IANA time zone name, such as Europe/Berlin. */
              time_zone?: (string | null);
              /** Periods in which people are available, on each of the listed days. */
              open?: ({
                /** Days of the week. */
                days: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[];
                /** Start of the period, such as 09:00. Must be a time from 00:00 to 24:00, such as 09:30. */
                from: string;
                /** End of the period, exclusive, such as 17:30. 24:00 is the end of the day. Must be a time from 00:00 to 24:00, such as 09:30. */
                to: string;
              }[] | null);
              /** Dates on which nobody is available. */
              closed_on?: (string[] | null);
              /** Text for the user when nobody is available. {{opens}} is replaced by the time at which somebody is available again. */
              closed_message?: (string | null);
            } | null);
          } | null);
          /** Limits after which a conversation ends. */
          limits?: ({
            /** Maximum duration of a conversation in seconds. It then ends. */
            max_duration_sec?: (number | null);
            /** Maximum silence of the user in seconds. The conversation then ends. */
            silence_timeout_sec?: (number | null);
          } | null);
          /** Kinds of sensitive data to remove from what users write and say, before it is stored or read. */
          redaction?: (('card' | 'email' | 'phone' | 'iban')[] | null);
          /** How an ended conversation is judged. */
          judgement?: ({
            /** How to judge. `rule` (the default): a rule that uses counted data. `model`: a language model in addition to the rule. */
            by?: ('rule' | 'model' | null);
            /** Model that judges. Defaults to the agent's own model. */
            model?: ({
              /** ModelProvider in the same namespace. If absent or `default`, the default provider. Must be a DNS label: at most 63 lower-case letters, digits and hyphens, without a hyphen at either end. */
              provider?: (string | null);
              /** Name of the model. Defaults to the provider's default model. */
              name?: (string | null);
            } | null);
            /** Possible topics of a conversation. If absent, the model names the topics itself. */
            topics?: (string[] | null);
          } | null);
          /** Your own key-value pairs. Parley stores and returns them, and does not interpret them. */
          metadata?: ({ [name: string]: (string | null) } | null);
          /** Web pages that may talk with the agent. If absent, none may. */
          widget?: ({
            /** Origins of the web pages that may talk with the agent, such as https://shop.example.com, capacitor://localhost or https://*.preview.example.com. */
            allowed_origins?: (string[] | null);
            /** Maximum number of concurrent talks by voice. Also the maximum number of new talks of each mode per minute from one IP address. Default: 100. */
            max_concurrent?: (number | null);
          } | null);
          /** `automatic` (the default): new content goes live immediately. `manual`: new content waits until it is published. `progressive`: new content gets its share of conversations in the steps of `rollout`. */
          publish_policy?: ('automatic' | 'manual' | 'progressive' | null);
          /** Steps and checks of the policy `progressive`. */
          rollout?: ({
            /** Steps of the rollout. Their weights rise; after the last one the version is live. */
            steps?: ({
              /** Share of new conversations that the new version gets, in percent. */
              weight: number;
              /** Conversations of the new version that must have ended before the next step. */
              min_conversations: number;
            }[] | null);
            /** Longest time of a step, such as 90m, 72h or 7d. The rollout is then held. Default: 72h. Must be a number of minutes, hours or days: 72h. */
            max_duration?: (string | null);
            /** Figures in which the new version must not be worse. */
            checks?: ({
              /** Figure in which the two versions are compared. */
              metric: ('escalation_rate' | 'resolution_rate' | 'gap_rate' | 'unanswered_rate' | 'tool_failure_rate' | 'csat_average' | 'turn_latency_p95_ms');
              /** Difference from which the new version counts as worse, in the unit of the metric. */
              worse_by: number;
            }[] | null);
            /** Webhook that confirms each next step, and the end of the rollout. */
            confirm?: ({
              /** Address of the webhook, which answers confirm, hold or abort. Must be an http or https URL in ASCII, such as https://example.com/hook, without user and password. */
              url?: (string | null);
              /** Secret that signs the requests, in the same way as events. It must carry the label parley.dev/allow: "true". */
              signing_secret_ref?: ({
                /** Name of the Secret, in the same namespace. Must be a DNS name: lower-case letters, digits, hyphens and dots, a letter or digit at both ends. */
                name?: (string | null);
                /** Key inside the Secret. Must consist of letters, digits, dots, hyphens and underscores. */
                key?: (string | null);
              } | null);
              /** Maximum wait for the whole answer, in milliseconds. Default: 8000. */
              timeout_ms?: (number | null);
            } | null);
            /** What happens if the new version is worse. Default: abort. */
            on_fail?: ('abort' | 'hold' | null);
            /** `keep` (the default): conversations in progress keep the new version after an abort. `escalate`: Parley also requests a human for each conversation. */
            on_abort?: ('keep' | 'escalate' | null);
          } | null);
        };
        'application/merge-patch+json': {
          name?: unknown;
          /** Name shown to people. */
          display_name?: (string | null);
          /** Instructions that the agent follows. */
          prompt?: (string | null);
          /** Voice of the agent: text to speech. */
          voice?: ({
            /** Speech provider (TTS): a ModelProvider with speech in the same namespace, or a provider that the carrier supports. */
            provider?: (string | null);
            /** Speech model. Defaults to the provider's default model. */
            model?: (string | null);
            /** The provider's id of the voice. */
            voice_id?: (string | null);
            /** BCP 47 tag of the spoken language, such as en-GB. Must be a language tag, such as en or pt-BR. */
            language?: (string | null);
            /** Speed of the speech. 1 is the normal speed. */
            speed?: (number | null);
            /** Fallbacks in order of preference, used when the first provider fails. */
            fallback?: ({
              /** Provider of the fallback. Defaults to the provider of the voice. */
              provider?: string;
              /** Speech model. Defaults to the provider's default model. */
              model?: string;
              /** The provider's id of the voice. Defaults to the voice of the agent if the provider is the same, otherwise to the provider's default voice. */
              voice_id?: string;
            }[] | null);
          } | null);
          /** How the agent hears users: speech to text. */
          transcriber?: ({
            /** Transcription provider (STT): a ModelProvider with transcription in the same namespace, or a provider that the carrier supports. */
            provider?: (string | null);
            /** Transcription model. Defaults to the provider's default model. */
            model?: (string | null);
            /** BCP 47 tag of the language that users speak, such as en-GB. Must be a language tag, such as en or pt-BR. */
            language?: (string | null);
            /** Names and words that users are likely to say and that are hard to recognize. */
            keywords?: (string[] | null);
            /** If true, the transcriber finds the last word that was played before an interruption: it also transcribes the agent's interrupted sentence, in two requests. If false, that position is estimated from the audio. Default: false. */
            retranscribe_interrupted?: (boolean | null);
            /** Fallbacks in order of preference, used when the first provider fails. */
            fallback?: ({
              /** Provider of the fallback. Defaults to the provider of the transcriber. */
              provider?: string;
              /** Transcription model. Defaults to the provider's default model. */
              model?: string;
            }[] | null);
          } | null);
          /** Tools that the agent can use. */
          tools?: ({
            /** Type of the tool, which determines what happens when the agent uses it. */
            type: ('webhook' | 'end_call' | 'transfer_call' | 'knowledge_search' | 'handoff');
            /** Name by which the model calls the tool. Unique within the agent. Must contain only letters, digits, underscores and hyphens, and begin with a letter or an underscore. */
            name: string;
            /** Explains to the model when to use the tool. */
            description?: string;
            /** JSON Schema of the arguments that the model fills in; at most 64 KiB, 2000 members and elements, 64 deep. */
            parameters?: { [name: string]: unknown };
            /** Address that a webhook tool calls. Must be an http or https URL in ASCII, such as https://example.com/hook, without user and password. */
            url?: string;
            /** HTTP method of a webhook tool. Default: POST. */
            method?: ('GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE');
            /** Extra headers of the request. */
            headers?: { [name: string]: string };
            /** Secret that is sent as a bearer token. It must carry the label parley.dev/allow: "true". */
            secret_ref?: {
              /** Name of the Secret, in the same namespace. Must be a DNS name: lower-case letters, digits, hyphens and dots, a letter or digit at both ends. */
              name: string;
              /** Key inside the Secret. Must consist of letters, digits, dots, hyphens and underscores. */
              key: string;
            };
            /** Secret that signs the requests, in the same way as events. It must carry the label parley.dev/allow: "true". */
            signing_secret_ref?: {
              /** Name of the Secret, in the same namespace. Must be a DNS name: lower-case letters, digits, hyphens and dots, a letter or digit at both ends. */
              name: string;
              /** Key inside the Secret. Must consist of letters, digits, dots, hyphens and underscores. */
              key: string;
            };
            /** Maximum wait for the whole response, in milliseconds. Default: 8000. */
            timeout_ms?: number;
            /** Agent in the same namespace to which a handoff tool gives the conversation. Must be a DNS label: at most 63 lower-case letters, digits and hyphens, without a hyphen at either end. */
            agent?: string;
            /** Version of that agent. If absent, the version that is active when this agent's version goes live. */
            version?: number;
            /** Bearer token, which no response shows. Parley stores it in a Secret of its own and sets `secret_ref`. Must have 1 to 8192 visible ASCII characters without spaces. */
            secret?: string;
            /** Key of the signatures, which no response shows: `whsec_` followed by 24 to 64 bytes in base64. Parley stores it in a Secret of its own and sets `signing_secret_ref`. */
            signing_secret?: string;
          }[] | null);
          /** First message of the agent. */
          first_message?: (string | null);
          /** Whether the user can interrupt the first message in a call. Default: true. */
          first_message_interruptible?: (boolean | null);
          /** BCP 47 tag of the language, such as en-GB. Must be a language tag, such as en or pt-BR. */
          language?: (string | null);
          /** The language model and its settings. */
          model?: ({
            /** ModelProvider in the same namespace. If absent or `default`, the provider of the operator's settings. Must be a DNS label: at most 63 lower-case letters, digits and hyphens, without a hyphen at either end. */
            provider?: (string | null);
            /** Name of the model. Defaults to the provider's default model. */
            name?: (string | null);
            /** Sampling temperature. */
            temperature?: (number | null);
            /** Maximum number of tokens in one reply. */
            max_tokens?: (number | null);
            /** Fallback models in order of preference, used when the first model cannot answer. */
            fallback?: ({
              /** ModelProvider in the same namespace. If absent or `default`, the provider of the operator's settings. Must be a DNS label: at most 63 lower-case letters, digits and hyphens, without a hyphen at either end. */
              provider?: string;
              /** Name of the model. Defaults to the provider's default model. */
              name?: string;
            }[] | null);
          } | null);
          /** Knowledge from which the agent answers. */
          knowledge?: ({
            /** Answers from every knowledge source of the namespace, including future ones. */
            all?: (boolean | null);
            /** Answers from the knowledge sources of the namespace whose metadata matches. */
            selector?: ({
              /** Pairs that the metadata of a source must contain. */
              match_metadata?: ({ [name: string]: (string | null) } | null);
            } | null);
            /** Ids of the knowledge sources to answer from. */
            source_ids?: (string[] | null);
            /** Names of the knowledge sources to answer from, in the same namespace. */
            source_names?: (string[] | null);
            /** Maximum number of passages given to a reply. */
            top_k?: (number | null);
            /** Minimum score of a passage. If no passage reaches it, the question is a knowledge gap. */
            min_score?: (number | null);
          } | null);
          /** When and how a human takes over. */
          escalation?: ({
            /** Rules that request a human. */
            rules?: ({
              /** Condition that requests a human. */
              when: ('user_request' | 'keyword' | 'tool_failure' | 'low_confidence' | 'mood' | 'turn_limit');
              /** Words of the user that request a human. Required with `keyword`. */
              keywords?: string[];
              /** Number of consecutive occurrences, for tool_failure, low_confidence and mood. For turn_limit, the number of user messages. */
              count?: number;
              /** Reason shown with the escalation. */
              reason?: string;
              /** Team to request for this rule, instead of the team of the escalation. */
              team?: string;
            }[] | null);
            /** How long to wait for a human to accept, in seconds. */
            timeout_sec?: (number | null);
            /** Label of the people to request, such as a team, a skill or a language. */
            team?: (string | null);
            /** Team to request next if nobody accepts in time. If absent, the agent continues. */
            fallback_team?: (string | null);
            /** Telephone number to ring when a human is requested during a telephone call. If absent, people write or speak through the API. */
            telephone?: ({
              /** Telephone number in E.164, such as +442071838750. Must be a phone number such as +442071838750: a plus sign and 7 to 15 digits. */
              to?: (string | null);
            } | null);
            /** Working hours of the people. If absent, people are always available. */
            hours?: ({
              /** IANA name of the time zone, such as Europe/Berlin. Must be an IANA time zone name, such as Europe/Berlin. */
              time_zone?: (string | null);
              /** Periods in which people are available, on each of the listed days. */
              open?: ({
                /** Days of the week. */
                days: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[];
                /** Start of the period, such as 09:00. Must be a time from 00:00 to 24:00, such as 09:30. */
                from: string;
                /** End of the period, exclusive, such as 17:30. 24:00 is the end of the day. Must be a time from 00:00 to 24:00, such as 09:30. */
                to: string;
              }[] | null);
              /** Dates on which nobody is available. */
              closed_on?: (string[] | null);
              /** Text for the user when nobody is available. {{opens}} is replaced by the time at which somebody is available again. */
              closed_message?: (string | null);
            } | null);
          } | null);
          /** Limits after which a conversation ends. */
          limits?: ({
            /** Maximum duration of a conversation in seconds. It then ends. */
            max_duration_sec?: (number | null);
            /** Maximum silence of the user in seconds. The conversation then ends. */
            silence_timeout_sec?: (number | null);
          } | null);
          /** Kinds of sensitive data to remove from what users write and say, before it is stored or read. */
          redaction?: (('card' | 'email' | 'phone' | 'iban')[] | null);
          /** How an ended conversation is judged. */
          judgement?: ({
            /** How to judge. `rule` (the default): a rule that uses counted data. `model`: a language model in addition to the rule. */
            by?: ('rule' | 'model' | null);
            /** Model that judges. Defaults to the agent's own model. */
            model?: ({
              /** ModelProvider in the same namespace. If absent or `default`, the default provider. Must be a DNS label: at most 63 lower-case letters, digits and hyphens, without a hyphen at either end. */
              provider?: (string | null);
              /** Name of the model. Defaults to the provider's default model. */
              name?: (string | null);
            } | null);
            /** Possible topics of a conversation. If absent, the model names the topics itself. */
            topics?: (string[] | null);
          } | null);
          /** Your own key-value pairs. Parley stores and returns them, and does not interpret them. */
          metadata?: ({ [name: string]: (string | null) } | null);
          /** Web pages that may talk with the agent. If absent, none may. */
          widget?: ({
            /** Origins of the web pages that may talk with the agent, such as https://shop.example.com, capacitor://localhost or https://*.preview.example.com. */
            allowed_origins?: (string[] | null);
            /** Maximum number of concurrent talks by voice. Also the maximum number of new talks of each mode per minute from one IP address. Default: 100. */
            max_concurrent?: (number | null);
          } | null);
          /** `automatic` (the default): new content goes live immediately. `manual`: new content waits until it is published. `progressive`: new content gets its share of conversations in the steps of `rollout`. */
          publish_policy?: ('automatic' | 'manual' | 'progressive' | null);
          /** Steps and checks of the policy `progressive`. */
          rollout?: ({
            /** Steps of the rollout. Their weights rise; after the last one the version is live. */
            steps?: ({
              /** Share of new conversations that the new version gets, in percent. */
              weight: number;
              /** Conversations of the new version that must have ended before the next step. */
              min_conversations: number;
            }[] | null);
            /** Longest time of a step, such as 90m, 72h or 7d. The rollout is then held. Default: 72h. Must be a number of minutes, hours or days: 72h. */
            max_duration?: (string | null);
            /** Figures in which the new version must not be worse. */
            checks?: ({
              /** Figure in which the two versions are compared. */
              metric: ('escalation_rate' | 'resolution_rate' | 'gap_rate' | 'unanswered_rate' | 'tool_failure_rate' | 'csat_average' | 'turn_latency_p95_ms');
              /** Difference from which the new version counts as worse, in the unit of the metric. */
              worse_by: number;
            }[] | null);
            /** Webhook that confirms each next step, and the end of the rollout. */
            confirm?: ({
              /** Address of the webhook, which answers confirm, hold or abort. Must be an http or https URL in ASCII, such as https://example.com/hook, without user and password. */
              url?: (string | null);
              /** Secret that signs the requests, in the same way as events. It must carry the label parley.dev/allow: "true". */
              signing_secret_ref?: ({
                /** Name of the Secret, in the same namespace. Must be a DNS name: lower-case letters, digits, hyphens and dots, a letter or digit at both ends. */
                name?: (string | null);
                /** Key inside the Secret. Must consist of letters, digits, dots, hyphens and underscores. */
                key?: (string | null);
              } | null);
              /** Maximum wait for the whole answer, in milliseconds. Default: 8000. */
              timeout_ms?: (number | null);
            } | null);
            /** What happens if the new version is worse. Default: abort. */
            on_fail?: ('abort' | 'hold' | null);
            /** `keep` (the default): conversations in progress keep the new version after an abort. `escalate`: Parley also requests a human for each conversation. */
            on_abort?: ('keep' | 'escalate' | null);
          } | null);
        };
      } };
      responses: {
        200: { headers: { [name: string]: unknown }; content: {
          'application/json': components['schemas']['Agent'];
        } };
        202: { headers: { [name: string]: unknown }; content: {
          'application/json': components['schemas']['Agent'];
        } };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter' | 'malformed_json')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        404: Refused<'not_found'>;
        409: Refused<('managed_elsewhere' | 'write_conflict')>;
        412: Refused<'precondition_failed'>;
        413: Refused<'body_too_large'>;
        415: Refused<'unsupported_media_type'>;
        422: Refused<'invalid_body'>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
    /** Delete an agent */
    delete: {
      parameters: {
        query?: never;
        header?: {
          /** An `ETag` from an earlier response, or `*`. If the resource was changed since, the request is rejected with 412. */
          'If-Match'?: string;
        };
        path: {
          /** Id of the agent. */
          id: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        204: { headers: { [name: string]: unknown }; content?: never };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter' | 'malformed_json')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        404: Refused<'not_found'>;
        409: Refused<('managed_elsewhere' | 'write_conflict')>;
        412: Refused<'precondition_failed'>;
        413: Refused<'body_too_large'>;
        415: Refused<'unsupported_media_type'>;
        422: Refused<'invalid_body'>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
  }>;
  '/v1/agents/{id}/publish': Only<{
    /** Make a version live */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** Makes a request safe to repeat. For 24 hours, the same request gets the same response, with `Idempotency-Replayed: true`. */
          'Idempotency-Key'?: string;
          /** An `ETag` from an earlier response, or `*`. If the resource was changed since, the request is rejected with 412. */
          'If-Match'?: string;
        };
        path: {
          /** Id of the agent. */
          id: string;
        };
        cookie?: never;
      };
      requestBody?: { content: {
        'application/json': {
          /** Version to pin. See the description of the operation for the default. */
          version?: number;
        };
      } };
      responses: {
        200: { headers: { [name: string]: unknown }; content: {
          'application/json': components['schemas']['Agent'];
        } };
        202: { headers: { [name: string]: unknown }; content: {
          'application/json': components['schemas']['Agent'];
        } };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter' | 'malformed_json')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        404: Refused<'not_found'>;
        409: Refused<('idempotency_in_progress' | 'managed_elsewhere' | 'write_conflict' | 'version_recalled')>;
        412: Refused<'precondition_failed'>;
        413: Refused<'body_too_large'>;
        415: Refused<'unsupported_media_type'>;
        422: Refused<('invalid_body' | 'idempotency_key_reused' | 'unknown_version')>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
  }>;
  '/v1/agents/{id}/rollback': Only<{
    /** Roll back to an earlier version */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** Makes a request safe to repeat. For 24 hours, the same request gets the same response, with `Idempotency-Replayed: true`. */
          'Idempotency-Key'?: string;
          /** An `ETag` from an earlier response, or `*`. If the resource was changed since, the request is rejected with 412. */
          'If-Match'?: string;
        };
        path: {
          /** Id of the agent. */
          id: string;
        };
        cookie?: never;
      };
      requestBody?: { content: {
        'application/json': {
          /** Version below the active one. Default: the highest one that has been live. */
          version?: number;
          /** Reason, stored in the history and sent with the event. */
          reason?: string;
        };
      } };
      responses: {
        200: { headers: { [name: string]: unknown }; content: {
          'application/json': components['schemas']['Agent'];
        } };
        202: { headers: { [name: string]: unknown }; content: {
          'application/json': components['schemas']['Agent'];
        } };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter' | 'malformed_json')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        404: Refused<'not_found'>;
        409: Refused<('idempotency_in_progress' | 'managed_elsewhere' | 'write_conflict' | 'version_recalled' | 'nothing_to_roll_back_to')>;
        412: Refused<'precondition_failed'>;
        413: Refused<'body_too_large'>;
        415: Refused<'unsupported_media_type'>;
        422: Refused<('invalid_body' | 'idempotency_key_reused' | 'unknown_version')>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
  }>;
  '/v1/agents/{id}/versions': Only<{
    /** List versions, newest first */
    get: {
      parameters: {
        query?: {
          /** Maximum number of items in a page. */
          limit?: number;
          /** `next_cursor` of the previous page. */
          cursor?: string;
        };
        header?: never;
        path: {
          /** Id of the agent. */
          id: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: { headers: { [name: string]: unknown }; content: {
          'application/json': {
            data: components['schemas']['AgentVersion'][];
            has_more: boolean;
            /** Value of `cursor` for the next page. Null on the last page. */
            next_cursor: (string | null);
          };
        } };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        404: Refused<'not_found'>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
  }>;
  '/v1/agents/{id}/versions/{version}': Only<{
    /** Read a version */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Id of the agent. */
          id: string;
          /** Number of a version. */
          version: number;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: { headers: { [name: string]: unknown }; content: {
          'application/json': components['schemas']['AgentVersion'];
        } };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        404: Refused<'not_found'>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
  }>;
  '/v1/agents/{id}/versions/{from}/diff/{to}': Only<{
    /** Compare two versions */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Id of the agent. */
          id: string;
          /** Number of a version. */
          from: number;
          /** Number of a version. */
          to: number;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: { headers: { [name: string]: unknown }; content: {
          'application/json': components['schemas']['VersionDiff'];
        } };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        404: Refused<'not_found'>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
  }>;
  '/v1/agents/{id}/activations': Only<{
    /** List activations, newest first */
    get: {
      parameters: {
        query?: {
          /** Maximum number of items in a page. */
          limit?: number;
          /** `next_cursor` of the previous page. */
          cursor?: string;
        };
        header?: never;
        path: {
          /** Id of the agent. */
          id: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: { headers: { [name: string]: unknown }; content: {
          'application/json': {
            data: components['schemas']['Activation'][];
            has_more: boolean;
            /** Value of `cursor` for the next page. Null on the last page. */
            next_cursor: (string | null);
          };
        } };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        404: Refused<'not_found'>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
  }>;
  '/v1/agents/{id}/rollout': Only<{
    /** Read the rollout in progress, or the last one */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Id of the agent. */
          id: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: { headers: { [name: string]: unknown }; content: {
          'application/json': components['schemas']['Rollout'];
        } };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        404: Refused<'not_found'>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
  }>;
  '/v1/agents/{id}/rollouts': Only<{
    /** List the steps of all rollouts, newest first */
    get: {
      parameters: {
        query?: {
          /** Maximum number of items in a page. */
          limit?: number;
          /** `next_cursor` of the previous page. */
          cursor?: string;
        };
        header?: never;
        path: {
          /** Id of the agent. */
          id: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: { headers: { [name: string]: unknown }; content: {
          'application/json': {
            data: components['schemas']['RolloutAct'][];
            has_more: boolean;
            /** Value of `cursor` for the next page. Null on the last page. */
            next_cursor: (string | null);
          };
        } };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        404: Refused<'not_found'>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
  }>;
  '/v1/agents/{id}/rollout/advance': Only<{
    /** Advance a rollout to its next step */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** Makes a request safe to repeat. For 24 hours, the same request gets the same response, with `Idempotency-Replayed: true`. */
          'Idempotency-Key'?: string;
        };
        path: {
          /** Id of the agent. */
          id: string;
        };
        cookie?: never;
      };
      requestBody?: { content: {
        'application/json': {
          /** Reason, stored with the step and sent with an event. */
          reason?: string;
        };
      } };
      responses: {
        200: { headers: { [name: string]: unknown }; content: {
          'application/json': components['schemas']['Rollout'];
        } };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter' | 'malformed_json')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        404: Refused<'not_found'>;
        409: Refused<('idempotency_in_progress' | 'no_rollout' | 'write_conflict')>;
        413: Refused<'body_too_large'>;
        415: Refused<'unsupported_media_type'>;
        422: Refused<('invalid_body' | 'idempotency_key_reused')>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
  }>;
  '/v1/agents/{id}/rollout/hold': Only<{
    /** Hold a rollout at its weight */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** Makes a request safe to repeat. For 24 hours, the same request gets the same response, with `Idempotency-Replayed: true`. */
          'Idempotency-Key'?: string;
        };
        path: {
          /** Id of the agent. */
          id: string;
        };
        cookie?: never;
      };
      requestBody?: { content: {
        'application/json': {
          /** Reason, stored with the step and sent with an event. */
          reason?: string;
        };
      } };
      responses: {
        200: { headers: { [name: string]: unknown }; content: {
          'application/json': components['schemas']['Rollout'];
        } };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter' | 'malformed_json')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        404: Refused<'not_found'>;
        409: Refused<('idempotency_in_progress' | 'no_rollout' | 'write_conflict')>;
        413: Refused<'body_too_large'>;
        415: Refused<'unsupported_media_type'>;
        422: Refused<('invalid_body' | 'idempotency_key_reused')>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
  }>;
  '/v1/agents/{id}/rollout/resume': Only<{
    /** Resume a rollout that is held */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** Makes a request safe to repeat. For 24 hours, the same request gets the same response, with `Idempotency-Replayed: true`. */
          'Idempotency-Key'?: string;
        };
        path: {
          /** Id of the agent. */
          id: string;
        };
        cookie?: never;
      };
      requestBody?: { content: {
        'application/json': {
          /** Reason, stored with the step and sent with an event. */
          reason?: string;
        };
      } };
      responses: {
        200: { headers: { [name: string]: unknown }; content: {
          'application/json': components['schemas']['Rollout'];
        } };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter' | 'malformed_json')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        404: Refused<'not_found'>;
        409: Refused<('idempotency_in_progress' | 'no_rollout' | 'write_conflict')>;
        413: Refused<'body_too_large'>;
        415: Refused<'unsupported_media_type'>;
        422: Refused<('invalid_body' | 'idempotency_key_reused')>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
  }>;
  '/v1/agents/{id}/rollout/abort': Only<{
    /** Abort a rollout */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** Makes a request safe to repeat. For 24 hours, the same request gets the same response, with `Idempotency-Replayed: true`. */
          'Idempotency-Key'?: string;
        };
        path: {
          /** Id of the agent. */
          id: string;
        };
        cookie?: never;
      };
      requestBody?: { content: {
        'application/json': {
          /** Reason, stored with the step and sent with an event. */
          reason?: string;
        };
      } };
      responses: {
        200: { headers: { [name: string]: unknown }; content: {
          'application/json': components['schemas']['Rollout'];
        } };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter' | 'malformed_json')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        404: Refused<'not_found'>;
        409: Refused<('idempotency_in_progress' | 'no_rollout' | 'write_conflict')>;
        413: Refused<'body_too_large'>;
        415: Refused<'unsupported_media_type'>;
        422: Refused<('invalid_body' | 'idempotency_key_reused')>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
  }>;
  '/v1/agents/{id}/recalls': Only<{
    /** Recall versions */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** Makes a request safe to repeat. For 24 hours, the same request gets the same response, with `Idempotency-Replayed: true`. */
          'Idempotency-Key'?: string;
        };
        path: {
          /** Id of the agent. */
          id: string;
        };
        cookie?: never;
      };
      requestBody: { content: {
        'application/json': {
          /** The versions that shall never go live again. */
          versions: number[];
          /** Unix seconds, rounded down to a quarter of an hour. The recall concerns conversations that started from then on. Default: all. */
          since?: number;
          /** Reason, stored with the recall. */
          reason?: string;
        };
      } };
      responses: {
        201: { headers: { [name: string]: unknown }; content: {
          'application/json': components['schemas']['Recall'];
        } };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter' | 'malformed_json')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        404: Refused<'not_found'>;
        409: Refused<('idempotency_in_progress' | 'version_is_live')>;
        413: Refused<'body_too_large'>;
        415: Refused<'unsupported_media_type'>;
        422: Refused<('invalid_body' | 'idempotency_key_reused' | 'unknown_version')>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
    /** List recalls, newest first */
    get: {
      parameters: {
        query?: {
          /** Maximum number of items in a page. */
          limit?: number;
          /** `next_cursor` of the previous page. */
          cursor?: string;
        };
        header?: never;
        path: {
          /** Id of the agent. */
          id: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: { headers: { [name: string]: unknown }; content: {
          'application/json': {
            data: components['schemas']['Recall'][];
            has_more: boolean;
            /** Value of `cursor` for the next page. Null on the last page. */
            next_cursor: (string | null);
          };
        } };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        404: Refused<'not_found'>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
  }>;
  '/v1/agents/{id}/recalls/{recall_id}': Only<{
    /** Read a recall */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Id of the agent. */
          id: string;
          /** Id of the recall. */
          recall_id: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: { headers: { [name: string]: unknown }; content: {
          'application/json': components['schemas']['Recall'];
        } };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        404: Refused<'not_found'>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
  }>;
  '/v1/agents/{id}/recalls/{recall_id}/conversations': Only<{
    /** List the conversations of recalled versions, newest first */
    get: {
      parameters: {
        query?: {
          /** Maximum number of items in a page. */
          limit?: number;
          /** `next_cursor` of the previous page. */
          cursor?: string;
        };
        header?: never;
        path: {
          /** Id of the agent. */
          id: string;
          /** Id of the recall. */
          recall_id: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: { headers: { [name: string]: unknown }; content: {
          'application/json': {
            data: components['schemas']['RecalledConversation'][];
            has_more: boolean;
            /** Value of `cursor` for the next page. Null on the last page. */
            next_cursor: (string | null);
          };
          'application/x-ndjson': string;
        } };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        404: Refused<'not_found'>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
  }>;
  '/v1/agents/{id}/recalls/{recall_id}/users': Only<{
    /** List the users of recalled versions, by their newest conversation */
    get: {
      parameters: {
        query?: {
          /** Maximum number of items in a page. */
          limit?: number;
          /** `next_cursor` of the previous page. */
          cursor?: string;
        };
        header?: never;
        path: {
          /** Id of the agent. */
          id: string;
          /** Id of the recall. */
          recall_id: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: { headers: { [name: string]: unknown }; content: {
          'application/json': {
            data: components['schemas']['RecalledUser'][];
            has_more: boolean;
            /** Value of `cursor` for the next page. Null on the last page. */
            next_cursor: (string | null);
          };
          'application/x-ndjson': string;
        } };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        404: Refused<'not_found'>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
  }>;
  '/v1/agents/{id}/recalls/{recall_id}/tool_calls': Only<{
    /** List the tool calls of recalled versions, newest conversation first */
    get: {
      parameters: {
        query?: {
          /** Maximum number of items in a page. */
          limit?: number;
          /** `next_cursor` of the previous page. */
          cursor?: string;
        };
        header?: never;
        path: {
          /** Id of the agent. */
          id: string;
          /** Id of the recall. */
          recall_id: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: { headers: { [name: string]: unknown }; content: {
          'application/json': {
            data: components['schemas']['RecalledToolCall'][];
            has_more: boolean;
            /** Value of `cursor` for the next page. Null on the last page. */
            next_cursor: (string | null);
          };
          'application/x-ndjson': string;
        } };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        404: Refused<'not_found'>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
  }>;
  '/v1/agents/{id}/stats': Only<{
    /** Read statistics of an agent or of one version */
    get: {
      parameters: {
        query?: {
          /** Counts conversations of this version only. */
          version?: number;
          /** Unix seconds, inclusive. Default: 24 hours before `to`. */
          from?: number;
          /** Unix seconds, exclusive. Default: now. */
          to?: number;
        };
        header?: never;
        path: {
          /** Id of the agent. */
          id: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: { headers: { [name: string]: unknown }; content: {
          'application/json': components['schemas']['AgentStats'];
        } };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        404: Refused<'not_found'>;
        422: Refused<'unknown_version'>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
  }>;
  '/v1/stats': Only<{
    /** Read statistics of all agents by version */
    get: {
      parameters: {
        query?: {
          /** Unix seconds, inclusive. Default: 24 hours before `to`. */
          from?: number;
          /** Unix seconds, exclusive. Default: now. */
          to?: number;
        };
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: { headers: { [name: string]: unknown }; content: {
          'application/json': components['schemas']['Stats'];
        } };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
  }>;
  '/v1/analytics': Only<{
    /** Read figures of conversations over time and by group */
    get: {
      parameters: {
        query?: {
          /** Unix seconds, inclusive. Rounded down to the start of its interval. Default: 28 days before `to`. */
          from?: number;
          /** Unix seconds, exclusive. Rounded up to a quarter of an hour. Default: now. */
          to?: number;
          /** Length of a bucket. The period has at most 31 days by hour, 366 by day and 1098 by week. Weeks begin on Monday. */
          interval?: ('hour' | 'day' | 'week');
          /** Time zone in which days and weeks begin. */
          time_zone?: string;
          /** Property by which to group. A conversation counts once for each of its topics, and for each person who accepted it. */
          group_by?: ('agent' | 'version' | 'channel' | 'topic' | 'person');
          agent_id?: string;
          /** Counts this version only. Requires `agent_id`. */
          version?: number;
          channel?: ('chat' | 'voice' | 'sms' | 'web_voice');
          /** Counts conversations with this topic only. */
          topic?: string;
          /** Counts conversations that the person with this id accepted. */
          person?: string;
        };
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: { headers: { [name: string]: unknown }; content: {
          'application/json': components['schemas']['Analytics'];
          'text/csv': string;
        } };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
  }>;
  '/v1/webhooks': Only<{
    /** List webhook endpoints, newest first */
    get: {
      parameters: {
        query?: {
          status?: ('healthy' | 'failing' | 'disabled' | 'not_ready');
          enabled?: boolean;
          /** Maximum number of items in a page. */
          limit?: number;
          /** `next_cursor` of the previous page. */
          cursor?: string;
        };
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: { headers: { [name: string]: unknown }; content: {
          'application/json': {
            data: components['schemas']['WebhookEndpoint'][];
            has_more: boolean;
            /** Value of `cursor` for the next page. Null on the last page. */
            next_cursor: (string | null);
          };
        } };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
    /** Create a webhook endpoint */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** Makes a request safe to repeat. For 24 hours, the same request gets the same response, with `Idempotency-Replayed: true`. */
          'Idempotency-Key'?: string;
        };
        path?: never;
        cookie?: never;
      };
      requestBody: { content: {
        'application/json': {
          /** Address that receives the events, https. Must be an http or https URL in ASCII, such as https://example.com/hook, without user and password. */
          url: string;
          /** Event types to send, or groups such as agent.*. If absent or null, all types. */
          event_types?: (('*' | 'conversation.*' | 'conversation.started' | 'conversation.ended' | 'conversation.transcript.*' | 'conversation.transcript.ready' | 'escalation.*' | 'escalation.requested' | 'escalation.accepted' | 'knowledge.*' | 'knowledge.gap.*' | 'knowledge.gap.detected' | 'knowledge.source.*' | 'knowledge.source.synced' | 'agent.*' | 'agent.published' | 'agent.rolled_back')[] | null);
          /** Purpose of the endpoint. */
          description?: string;
          /** Your own key-value pairs. Parley stores and returns them, and does not interpret them. */
          metadata?: { [name: string]: string };
          /** Extra headers of each delivery. Values are stored encrypted; responses contain only the names. */
          headers?: { [name: string]: string };
          /** If false, no deliveries are created. Default: true. */
          enabled?: boolean;
          /** `whsec_` and the base64 of 24 to 64 bytes. Generated if absent. Only the response to this request shows it. Must be whsec_ followed by the base64 of 24 to 64 bytes. */
          secret?: string;
        };
      } };
      responses: {
        201: { headers: { [name: string]: unknown }; content: {
          'application/json': components['schemas']['CreatedWebhookEndpoint'];
        } };
        202: { headers: { [name: string]: unknown }; content: {
          'application/json': components['schemas']['CreatedWebhookEndpoint'];
        } };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter' | 'malformed_json')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        409: Refused<('idempotency_in_progress' | 'quota_exceeded')>;
        413: Refused<'body_too_large'>;
        415: Refused<'unsupported_media_type'>;
        422: Refused<('invalid_body' | 'idempotency_key_reused')>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
  }>;
  '/v1/webhooks/{id}': Only<{
    /** Read a webhook endpoint */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Id of the webhook endpoint. */
          id: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: { headers: { [name: string]: unknown }; content: {
          'application/json': components['schemas']['WebhookEndpoint'];
        } };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        404: Refused<'not_found'>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
    /** Change a webhook endpoint */
    patch: {
      parameters: {
        query?: never;
        header?: {
          /** An `ETag` from an earlier response, or `*`. If the resource was changed since, the request is rejected with 412. */
          'If-Match'?: string;
        };
        path: {
          /** Id of the webhook endpoint. */
          id: string;
        };
        cookie?: never;
      };
      requestBody: { content: {
        'application/json': {
          /** Address that receives the events, https. Must be an http or https URL in ASCII, such as https://example.com/hook, without user and password. */
          url?: (string | null);
          /** Event types to send, or groups such as agent.*. If absent or null, all types. */
          event_types?: (('*' | 'conversation.*' | 'conversation.started' | 'conversation.ended' | 'conversation.transcript.*' | 'conversation.transcript.ready' | 'escalation.*' | 'escalation.requested' | 'escalation.accepted' | 'knowledge.*' | 'knowledge.gap.*' | 'knowledge.gap.detected' | 'knowledge.source.*' | 'knowledge.source.synced' | 'agent.*' | 'agent.published' | 'agent.rolled_back')[] | null);
          /** Purpose of the endpoint. */
          description?: (string | null);
          /** Your own key-value pairs. Parley stores and returns them, and does not interpret them. */
          metadata?: ({ [name: string]: (string | null) } | null);
          /** Headers to set. Null removes one header, or all. */
          headers?: ({ [name: string]: (string | null) } | null);
          /** If false, no deliveries are created. Default: true. */
          enabled?: (boolean | null);
        };
        'application/merge-patch+json': {
          /** Address that receives the events, https. Must be an http or https URL in ASCII, such as https://example.com/hook, without user and password. */
          url?: (string | null);
          /** Event types to send, or groups such as agent.*. If absent or null, all types. */
          event_types?: (('*' | 'conversation.*' | 'conversation.started' | 'conversation.ended' | 'conversation.transcript.*' | 'conversation.transcript.ready' | 'escalation.*' | 'escalation.requested' | 'escalation.accepted' | 'knowledge.*' | 'knowledge.gap.*' | 'knowledge.gap.detected' | 'knowledge.source.*' | 'knowledge.source.synced' | 'agent.*' | 'agent.published' | 'agent.rolled_back')[] | null);
          /** Purpose of the endpoint. */
          description?: (string | null);
          /** Your own key-value pairs. Parley stores and returns them, and does not interpret them. */
          metadata?: ({ [name: string]: (string | null) } | null);
          /** Headers to set. Null removes one header, or all. */
          headers?: ({ [name: string]: (string | null) } | null);
          /** If false, no deliveries are created. Default: true. */
          enabled?: (boolean | null);
        };
      } };
      responses: {
        200: { headers: { [name: string]: unknown }; content: {
          'application/json': components['schemas']['WebhookEndpoint'];
        } };
        202: { headers: { [name: string]: unknown }; content: {
          'application/json': components['schemas']['WebhookEndpoint'];
        } };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter' | 'malformed_json')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        404: Refused<'not_found'>;
        409: Refused<('managed_elsewhere' | 'write_conflict')>;
        412: Refused<'precondition_failed'>;
        413: Refused<'body_too_large'>;
        415: Refused<'unsupported_media_type'>;
        422: Refused<'invalid_body'>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
    /** Delete a webhook endpoint */
    delete: {
      parameters: {
        query?: never;
        header?: {
          /** An `ETag` from an earlier response, or `*`. If the resource was changed since, the request is rejected with 412. */
          'If-Match'?: string;
        };
        path: {
          /** Id of the webhook endpoint. */
          id: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        204: { headers: { [name: string]: unknown }; content?: never };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter' | 'malformed_json')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        404: Refused<'not_found'>;
        409: Refused<('managed_elsewhere' | 'write_conflict')>;
        412: Refused<'precondition_failed'>;
        413: Refused<'body_too_large'>;
        415: Refused<'unsupported_media_type'>;
        422: Refused<'invalid_body'>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
  }>;
  '/v1/webhooks/{id}/test': Only<{
    /** Send a test event */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** Makes a request safe to repeat. For 24 hours, the same request gets the same response, with `Idempotency-Replayed: true`. */
          'Idempotency-Key'?: string;
        };
        path: {
          /** Id of the webhook endpoint. */
          id: string;
        };
        cookie?: never;
      };
      requestBody?: { content: {
        'application/json': {
          /** Type of the event. Default: `agent.published`, or the first type to which the endpoint is subscribed. */
          type?: ('conversation.started' | 'conversation.ended' | 'conversation.transcript.ready' | 'escalation.requested' | 'escalation.accepted' | 'knowledge.gap.detected' | 'knowledge.source.synced' | 'agent.published' | 'agent.rolled_back');
          /** Data of the event, with the fields of its type. Default: a sample. */
          data?: { [name: string]: unknown };
          /** If true, nothing is sent. The response shows the request as it would be sent. */
          dry_run?: boolean;
        };
      } };
      responses: {
        200: { headers: { [name: string]: unknown }; content: {
          'application/json': components['schemas']['TestRequest'];
        } };
        202: { headers: { [name: string]: unknown }; content: {
          'application/json': {
            event_id: string;
            delivery_id: string;
          };
        } };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter' | 'malformed_json')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        404: Refused<'not_found'>;
        409: Refused<('idempotency_in_progress' | 'endpoint_disabled' | 'write_conflict')>;
        413: Refused<'body_too_large'>;
        415: Refused<'unsupported_media_type'>;
        422: Refused<('invalid_body' | 'idempotency_key_reused')>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
  }>;
  '/v1/webhooks/{id}/rotate_secret': Only<{
    /** Rotate the signing secret of an endpoint */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** Makes a request safe to repeat. For 24 hours, the same request gets the same response, with `Idempotency-Replayed: true`. */
          'Idempotency-Key'?: string;
          /** An `ETag` from an earlier response, or `*`. If the resource was changed since, the request is rejected with 412. */
          'If-Match'?: string;
        };
        path: {
          /** Id of the webhook endpoint. */
          id: string;
        };
        cookie?: never;
      };
      requestBody?: { content: {
        'application/json': {
          /** Duration of each of the two steps of the rotation, in seconds. Default: 86400. */
          overlap_sec?: number;
          /** If true, the next secret signs `parley-signature` from now on. */
          activate?: boolean;
          /** If true, the next secret is discarded before it signs `parley-signature`. */
          cancel?: boolean;
        };
      } };
      responses: {
        200: { headers: { [name: string]: unknown }; content: {
          'application/json': components['schemas']['RotatedWebhookEndpoint'];
        } };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter' | 'malformed_json')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        404: Refused<'not_found'>;
        409: Refused<('idempotency_in_progress' | 'managed_secret' | 'rotation_in_progress' | 'no_rotation' | 'write_conflict')>;
        412: Refused<'precondition_failed'>;
        413: Refused<'body_too_large'>;
        415: Refused<'unsupported_media_type'>;
        422: Refused<('invalid_body' | 'idempotency_key_reused')>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
  }>;
  '/v1/events/stream': Only<{
    /** Stream events */
    get: {
      parameters: {
        query?: {
          /** Event types and groups such as `agent.*`, separated by commas. Default: every type. */
          types?: string;
          conversation_id?: string;
          agent_id?: string;
          /** If true, includes test events. Default: false. */
          test?: boolean;
          last_event_id?: string;
          /** If true, also sends `event: change` for changed resources. Default: false. */
          changes?: boolean;
        };
        header?: {
          /** The last `id` that was received. The stream continues after it. */
          'Last-Event-ID'?: string;
        };
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: { headers: { [name: string]: unknown }; content: {
          'text/event-stream': string;
        } };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        410: Refused<'event_expired'>;
        429: Refused<('rate_limited' | 'too_many_in_flight')>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
  }>;
  '/v1/events': Only<{
    /** List events */
    get: {
      parameters: {
        query?: {
          /** Event type, group such as `agent.*`, or `*` for all. */
          type?: string;
          /** If true, includes test events. Default: false. */
          test?: boolean;
          conversation_id?: string;
          agent_id?: string;
          /** Unix seconds, inclusive. */
          created_after?: number;
          /** Unix seconds, exclusive. */
          created_before?: number;
          order?: ('newest' | 'oldest');
          /** Maximum number of items in a page. */
          limit?: number;
          /** `next_cursor` of the previous page. */
          cursor?: string;
        };
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: { headers: { [name: string]: unknown }; content: {
          'application/json': {
            data: components['schemas']['Event'][];
            has_more: boolean;
            /** Value of `cursor` for the next page. Null on the last page. */
            next_cursor: (string | null);
          };
        } };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        410: Refused<'event_expired'>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
  }>;
  '/v1/events/{id}': Only<{
    /** Read an event */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Id of the event. */
          id: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: { headers: { [name: string]: unknown }; content: {
          'application/json': components['schemas']['Event'];
        } };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        404: Refused<'not_found'>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
  }>;
  '/v1/events/{id}/explanation': Only<{
    /** Explain the delivery of an event to an endpoint */
    get: {
      parameters: {
        query: {
          endpoint_id: string;
        };
        header?: never;
        path: {
          /** Id of the event. */
          id: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: { headers: { [name: string]: unknown }; content: {
          'application/json': components['schemas']['Explanation'];
        } };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        404: Refused<'not_found'>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
  }>;
  '/v1/deliveries': Only<{
    /** List deliveries, newest first */
    get: {
      parameters: {
        query?: {
          status?: ('pending' | 'retrying' | 'delivered' | 'failed' | 'canceled');
          endpoint_id?: string;
          event_id?: string;
          /** Event type, group such as `agent.*`, or `*` for all. */
          event_type?: string;
          /** Unix seconds, inclusive. */
          created_after?: number;
          /** Unix seconds, exclusive. */
          created_before?: number;
          /** If true, includes test events. Default: false. */
          test?: boolean;
          /** Maximum number of items in a page. */
          limit?: number;
          /** `next_cursor` of the previous page. */
          cursor?: string;
        };
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: { headers: { [name: string]: unknown }; content: {
          'application/json': {
            data: components['schemas']['Delivery'][];
            has_more: boolean;
            /** Value of `cursor` for the next page. Null on the last page. */
            next_cursor: (string | null);
          };
        } };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
  }>;
  '/v1/deliveries/stats': Only<{
    /** Read delivery statistics */
    get: {
      parameters: {
        query?: {
          /** Unix seconds, inclusive. Default: an hour before `to`. */
          from?: number;
          /** Unix seconds, exclusive. Default: now. */
          to?: number;
          endpoint_id?: string;
          /** Length of a bucket in seconds. Default: 1/60 of the period. At most 500 buckets are returned. */
          bucket_sec?: number;
        };
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: { headers: { [name: string]: unknown }; content: {
          'application/json': components['schemas']['DeliveryStats'];
        } };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
  }>;
  '/v1/webhooks/{id}/deliveries': Only<{
    /** List deliveries to an endpoint, newest first */
    get: {
      parameters: {
        query?: {
          /** Maximum number of items in a page. */
          limit?: number;
          /** `next_cursor` of the previous page. */
          cursor?: string;
          status?: ('pending' | 'retrying' | 'delivered' | 'failed' | 'canceled');
        };
        header?: never;
        path: {
          /** Id of the webhook endpoint. */
          id: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: { headers: { [name: string]: unknown }; content: {
          'application/json': {
            data: components['schemas']['Delivery'][];
            has_more: boolean;
            /** Value of `cursor` for the next page. Null on the last page. */
            next_cursor: (string | null);
          };
        } };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        404: Refused<'not_found'>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
  }>;
  '/v1/events/{id}/deliveries': Only<{
    /** List deliveries of an event, newest first */
    get: {
      parameters: {
        query?: {
          /** Maximum number of items in a page. */
          limit?: number;
          /** `next_cursor` of the previous page. */
          cursor?: string;
          status?: ('pending' | 'retrying' | 'delivered' | 'failed' | 'canceled');
        };
        header?: never;
        path: {
          /** Id of the event. */
          id: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: { headers: { [name: string]: unknown }; content: {
          'application/json': {
            data: components['schemas']['Delivery'][];
            has_more: boolean;
            /** Value of `cursor` for the next page. Null on the last page. */
            next_cursor: (string | null);
          };
        } };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        404: Refused<'not_found'>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
  }>;
  '/v1/deliveries/{id}': Only<{
    /** Read a delivery and its attempts */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Id of the delivery. */
          id: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: { headers: { [name: string]: unknown }; content: {
          'application/json': components['schemas']['Delivery'];
        } };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        404: Refused<'not_found'>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
  }>;
  '/v1/events/{id}/replay': Only<{
    /** Replay an event */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** Makes a request safe to repeat. For 24 hours, the same request gets the same response, with `Idempotency-Replayed: true`. */
          'Idempotency-Key'?: string;
        };
        path: {
          /** Id of the event. */
          id: string;
        };
        cookie?: never;
      };
      requestBody?: { content: {
        'application/json': {
          /** Endpoint to send the event to. Default: every enabled endpoint that is subscribed now. Must be an id like we_01jdn0wzave008001tbgfjpkbe. */
          endpoint_id?: string;
        };
      } };
      responses: {
        202: { headers: { [name: string]: unknown }; content: {
          'application/json': {
            event_id: string;
            delivery_ids: string[];
            /** Older, unfinished deliveries of the event to the same endpoints. They keep their schedule, and count as delivered when the new delivery is acknowledged (`delivered_by`). */
            also_pending: string[];
          };
        } };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter' | 'malformed_json')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        404: Refused<'not_found'>;
        409: Refused<('idempotency_in_progress' | 'endpoint_disabled')>;
        410: Refused<('event_expired' | 'event_erased')>;
        413: Refused<'body_too_large'>;
        415: Refused<'unsupported_media_type'>;
        422: Refused<('invalid_body' | 'idempotency_key_reused')>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
  }>;
  '/v1/webhooks/{id}/replay': Only<{
    /** Replay many events */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** Makes a request safe to repeat. For 24 hours, the same request gets the same response, with `Idempotency-Replayed: true`. */
          'Idempotency-Key'?: string;
        };
        path: {
          /** Id of the webhook endpoint. */
          id: string;
        };
        cookie?: never;
      };
      requestBody: { content: {
        'application/json': {
          /** Start of the period in Unix seconds, inclusive. Available as long as events are stored: 30 days, or as configured. */
          since: number;
          /** End of the period in Unix seconds, exclusive. Default: the time of the request. */
          until?: number;
          /** Events to send again. Default: `failed`. */
          mode?: ('failed' | 'missing' | 'all' | 'retrying');
          /** Event types to send again. Default: every type. */
          types?: ('*' | 'conversation.*' | 'conversation.started' | 'conversation.ended' | 'conversation.transcript.*' | 'conversation.transcript.ready' | 'escalation.*' | 'escalation.requested' | 'escalation.accepted' | 'knowledge.*' | 'knowledge.gap.*' | 'knowledge.gap.detected' | 'knowledge.source.*' | 'knowledge.source.synced' | 'agent.*' | 'agent.published' | 'agent.rolled_back')[];
          /** If true, nothing is sent. The response has the number of deliveries. */
          dry_run?: boolean;
        };
      } };
      responses: {
        200: { headers: { [name: string]: unknown }; content: {
          'application/json': components['schemas']['ReplayCount'];
        } };
        202: { headers: { [name: string]: unknown }; content: {
          'application/json': components['schemas']['Job'];
        } };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter' | 'malformed_json')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        404: Refused<'not_found'>;
        409: Refused<('idempotency_in_progress' | 'endpoint_disabled')>;
        413: Refused<'body_too_large'>;
        415: Refused<'unsupported_media_type'>;
        422: Refused<('invalid_body' | 'idempotency_key_reused')>;
        429: Refused<('rate_limited' | 'too_many_in_flight')>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
  }>;
  '/v1/jobs': Only<{
    /** List jobs, newest first */
    get: {
      parameters: {
        query?: {
          status?: ('running' | 'done' | 'stopped' | 'failed');
          endpoint_id?: string;
          /** Maximum number of items in a page. */
          limit?: number;
          /** `next_cursor` of the previous page. */
          cursor?: string;
        };
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: { headers: { [name: string]: unknown }; content: {
          'application/json': {
            data: components['schemas']['Job'][];
            has_more: boolean;
            /** Value of `cursor` for the next page. Null on the last page. */
            next_cursor: (string | null);
          };
        } };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
  }>;
  '/v1/jobs/{id}': Only<{
    /** Read a job and its progress */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Id of the job. */
          id: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: { headers: { [name: string]: unknown }; content: {
          'application/json': components['schemas']['Job'];
        } };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        404: Refused<'not_found'>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
    /** Stop a job */
    delete: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Id of the job. */
          id: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        204: { headers: { [name: string]: unknown }; content?: never };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter' | 'malformed_json')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        404: Refused<'not_found'>;
        409: Refused<'job_finished'>;
        413: Refused<'body_too_large'>;
        415: Refused<'unsupported_media_type'>;
        422: Refused<'invalid_body'>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
  }>;
  '/v1/deliveries/{id}/retry': Only<{
    /** Retry a delivery now */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** Makes a request safe to repeat. For 24 hours, the same request gets the same response, with `Idempotency-Replayed: true`. */
          'Idempotency-Key'?: string;
        };
        path: {
          /** Id of the delivery. */
          id: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        202: { headers: { [name: string]: unknown }; content: {
          'application/json': components['schemas']['Delivery'];
        } };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter' | 'malformed_json')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        404: Refused<'not_found'>;
        409: Refused<('idempotency_in_progress' | 'delivery_finished' | 'endpoint_disabled')>;
        413: Refused<'body_too_large'>;
        415: Refused<'unsupported_media_type'>;
        422: Refused<('invalid_body' | 'idempotency_key_reused')>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
  }>;
  '/v1/webhooks/{id}/digest': Only<{
    /** Digest of an hour of events */
    get: {
      parameters: {
        query: {
          /** Start of the hour in Unix seconds, a multiple of 3600. Available as long as events are stored: 30 days, or as configured. */
          hour: number;
        };
        header?: never;
        path: {
          /** Id of the webhook endpoint. */
          id: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: { headers: { [name: string]: unknown }; content: {
          'application/json': components['schemas']['DeliveryDigest'];
        } };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        404: Refused<'not_found'>;
        429: Refused<('rate_limited' | 'too_many_in_flight')>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
  }>;
  '/v1/webhooks/{id}/reconcile': Only<{
    /** Compare the events of a receiver with those sent */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** Makes a request safe to repeat. For 24 hours, the same request gets the same response, with `Idempotency-Replayed: true`. */
          'Idempotency-Key'?: string;
        };
        path: {
          /** Id of the webhook endpoint. */
          id: string;
        };
        cookie?: never;
      };
      requestBody: { content: {
        'application/json': {
          /** Start of the period in Unix seconds, inclusive. Available as long as events are stored: 30 days, or as configured. */
          since: number;
          /** End of the period in Unix seconds, exclusive, at most 24 hours after `since`. Default: now. */
          until?: number;
          /** Ids of all events in the period, by `created`, that the receiver holds. */
          ids: string[];
          /** If true, missing events that have no unfinished delivery are sent again. Needs the scope `replay`. */
          replay?: boolean;
          /** Maximum number of ids in `missing` per page. */
          limit?: number;
          /** `next_cursor` of the previous page. */
          cursor?: string;
        };
      } };
      responses: {
        200: { headers: { [name: string]: unknown }; content: {
          'application/json': components['schemas']['Reconciliation'];
        } };
        202: { headers: { [name: string]: unknown }; content: {
          'application/json': components['schemas']['Reconciliation'];
        } };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter' | 'malformed_json')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        404: Refused<'not_found'>;
        409: Refused<('idempotency_in_progress' | 'endpoint_disabled')>;
        413: Refused<'body_too_large'>;
        415: Refused<'unsupported_media_type'>;
        422: Refused<('invalid_body' | 'idempotency_key_reused')>;
        429: Refused<('rate_limited' | 'too_many_in_flight')>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
  }>;
  '/v1/conversations': Only<{
    /** Start a conversation */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** Makes a request safe to repeat. For 24 hours, the same request gets the same response, with `Idempotency-Replayed: true`. */
          'Idempotency-Key'?: string;
        };
        path?: never;
        cookie?: never;
      };
      requestBody: { content: {
        'application/json': {
          /** Agent that speaks. Must be an id like agt_01jdn0wzave008001tbgfjpkbe. */
          agent_id: string;
          /** Version of the agent. Default: the active version. A version that was never live is accepted only with `test`. An unknown version is 422 `unknown_version`, and a recalled one without `test` 409 `version_recalled`. */
          agent_version?: number;
          /** Marks a conversation as a test: it emits no events, records no knowledge gaps, counts in no statistics, and appears in lists only with `test=true`. */
          test?: boolean;
          /** Medium through which the user and the agent talk. */
          channel?: ('chat' | 'voice' | 'sms' | 'web_voice');
          /** Your id of the user. */
          user_id?: string;
          /** What the agent may know about the user: at most 64 KiB of JSON. `{{name}}` in the prompt and in the first message is replaced by the value of `name`. */
          variables?: { [name: string]: unknown };
          /** Your own key-value pairs. Parley stores and returns them, and does not interpret them. */
          metadata?: { [name: string]: string };
        };
      } };
      responses: {
        201: { headers: { [name: string]: unknown }; content: {
          'application/json': components['schemas']['Conversation'];
        } };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter' | 'malformed_json')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        409: Refused<('idempotency_in_progress' | 'not_published' | 'version_recalled')>;
        413: Refused<'body_too_large'>;
        415: Refused<'unsupported_media_type'>;
        422: Refused<('invalid_body' | 'idempotency_key_reused' | 'unknown_version')>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
    /** List conversations */
    get: {
      parameters: {
        query?: {
          status?: ('active' | 'escalated' | 'ended' | 'failed');
          agent_id?: string;
          agent_version?: number;
          channel?: ('chat' | 'voice' | 'sms' | 'web_voice');
          outcome?: ('resolved' | 'unresolved' | 'escalated' | 'abandoned' | 'voicemail' | 'failed' | 'unknown');
          user_id?: string;
          /** `metadata.KEY=VALUE` matches objects whose metadata has exactly this value. With several pairs (at most 10), all must match. */
          [name: `metadata.${string}`]: string;
          call_id?: string;
          /** Number in E.164 from which the call came. */
          from?: string;
          /** Number in E.164 that was called. */
          to?: string;
          /** Unix seconds, inclusive. */
          created_after?: number;
          /** Unix seconds, exclusive. */
          created_before?: number;
          /** Unix seconds, inclusive. */
          ended_after?: number;
          /** Unix seconds, exclusive. */
          ended_before?: number;
          /** If true, includes test conversations. Default: false. */
          test?: boolean;
          /** Id of a conversation, a call or an escalation, or words to search for. Each word must occur, in upper or lower case, in what people and agents said, in `summary` or in `user_id`. A page searches at most 5,000 conversations, so it may have fewer than `limit` items although more exist. */
          q?: string;
          /** Which items come first. Default: newest. */
          order?: ('newest' | 'oldest');
          /** If true, the response has `total_count`. Default: false. */
          total?: boolean;
          /** Maximum number of items in a page. */
          limit?: number;
          /** `next_cursor` of the previous page. */
          cursor?: string;
        };
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: { headers: { [name: string]: unknown }; content: {
          'application/json': {
            data: components['schemas']['ListedConversation'][];
            has_more: boolean;
            /** Value of `cursor` for the next page. Null on the last page. */
            next_cursor: (string | null);
            /** Number of items on all pages, at most 10,000; this number also stands for more. Null if counting takes more than half a second. Absent without `total=true`. */
            total_count?: (number | null);
          };
          'application/x-ndjson': string;
        } };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
  }>;
  '/v1/conversations/{id}': Only<{
    /** Read a conversation */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Id of the conversation. */
          id: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: { headers: { [name: string]: unknown }; content: {
          'application/json': components['schemas']['ConversationRead'];
        } };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        404: Refused<'not_found'>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
    /** Change the user or metadata of a conversation */
    patch: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Id of the conversation. */
          id: string;
        };
        cookie?: never;
      };
      requestBody: { content: {
        'application/json': {
          /** Your id of the user. Null removes it. */
          user_id?: (string | null);
          /** Members to set, or to remove with null. Null instead of an object removes all. */
          metadata?: ({ [name: string]: (string | null) } | null);
        };
        'application/merge-patch+json': {
          /** Your id of the user. Null removes it. */
          user_id?: (string | null);
          /** Members to set, or to remove with null. Null instead of an object removes all. */
          metadata?: ({ [name: string]: (string | null) } | null);
        };
      } };
      responses: {
        200: { headers: { [name: string]: unknown }; content: {
          'application/json': components['schemas']['Conversation'];
        } };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter' | 'malformed_json')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        404: Refused<'not_found'>;
        413: Refused<'body_too_large'>;
        415: Refused<'unsupported_media_type'>;
        422: Refused<'invalid_body'>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
    /** Erase a conversation */
    delete: {
      parameters: {
        query?: {
          /** What happens to undelivered events of the conversation. `deliver`: the events are sent without the words, `user_id` and `metadata` of the conversation. `cancel`: the events are canceled. */
          events?: ('deliver' | 'cancel');
        };
        header?: never;
        path: {
          /** Id of the conversation. */
          id: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: { headers: { [name: string]: unknown }; content: {
          'application/json': components['schemas']['ErasedConversation'];
        } };
        204: { headers: { [name: string]: unknown }; content?: never };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter' | 'malformed_json')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        404: Refused<'not_found'>;
        413: Refused<'body_too_large'>;
        415: Refused<'unsupported_media_type'>;
        422: Refused<'invalid_body'>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
  }>;
  '/v1/conversations/{id}/messages': Only<{
    /** Send a message to the agent */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** Makes a request safe to repeat. For 24 hours, the same request gets the same response, with `Idempotency-Replayed: true`. */
          'Idempotency-Key'?: string;
        };
        path: {
          /** Id of the conversation. */
          id: string;
        };
        cookie?: never;
      };
      requestBody: { content: {
        'application/json': {
          /** Text of the message. Must not be blank. */
          text: string;
        };
      } };
      responses: {
        200: { headers: { [name: string]: unknown }; content: {
          'application/json': components['schemas']['MessageAnswer'];
          'text/event-stream': string;
        } };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter' | 'malformed_json')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        404: Refused<'not_found'>;
        409: Refused<('idempotency_in_progress' | 'conversation_ended' | 'write_conflict')>;
        413: Refused<'body_too_large'>;
        415: Refused<'unsupported_media_type'>;
        422: Refused<('invalid_body' | 'idempotency_key_reused')>;
        429: Refused<('rate_limited' | 'too_many_in_flight')>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
  }>;
  '/v1/conversations/{id}/end': Only<{
    /** End a conversation */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** Makes a request safe to repeat. For 24 hours, the same request gets the same response, with `Idempotency-Replayed: true`. */
          'Idempotency-Key'?: string;
        };
        path: {
          /** Id of the conversation. */
          id: string;
        };
        cookie?: never;
      };
      requestBody?: { content: {
        'application/json': {
          /** Outcome of the conversation. Default: determined by rule. */
          outcome?: ('resolved' | 'unresolved' | 'escalated' | 'abandoned' | 'voicemail' | 'failed' | 'unknown');
        };
      } };
      responses: {
        200: { headers: { [name: string]: unknown }; content: {
          'application/json': components['schemas']['Conversation'];
        } };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter' | 'malformed_json')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        404: Refused<'not_found'>;
        409: Refused<('idempotency_in_progress' | 'conversation_ended')>;
        413: Refused<'body_too_large'>;
        415: Refused<'unsupported_media_type'>;
        422: Refused<('invalid_body' | 'idempotency_key_reused')>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
  }>;
  '/v1/conversations/{id}/escalate': Only<{
    /** Request a human */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** Makes a request safe to repeat. For 24 hours, the same request gets the same response, with `Idempotency-Replayed: true`. */
          'Idempotency-Key'?: string;
        };
        path: {
          /** Id of the conversation. */
          id: string;
        };
        cookie?: never;
      };
      requestBody?: { content: {
        'application/json': {
          /** Reason for the request. The person taking over sees it. */
          reason?: string;
          /** Team to request. Default: the team of the agent. */
          team?: string;
        };
      } };
      responses: {
        201: { headers: { [name: string]: unknown }; content: {
          'application/json': components['schemas']['Escalation'];
        } };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter' | 'malformed_json')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        404: Refused<'not_found'>;
        409: Refused<('idempotency_in_progress' | 'conversation_ended' | 'already_escalated')>;
        413: Refused<'body_too_large'>;
        415: Refused<'unsupported_media_type'>;
        422: Refused<('invalid_body' | 'idempotency_key_reused')>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
  }>;
  '/v1/conversations/{id}/feedback': Only<{
    /** Rate a conversation */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** Makes a request safe to repeat. For 24 hours, the same request gets the same response, with `Idempotency-Replayed: true`. */
          'Idempotency-Key'?: string;
        };
        path: {
          /** Id of the conversation. */
          id: string;
        };
        cookie?: never;
      };
      requestBody: { content: {
        'application/json': {
          /** Rating from 1 (bad) to 5 (good). */
          csat: number;
        };
      } };
      responses: {
        200: { headers: { [name: string]: unknown }; content: {
          'application/json': components['schemas']['Conversation'];
        } };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter' | 'malformed_json')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        404: Refused<'not_found'>;
        409: Refused<'idempotency_in_progress'>;
        413: Refused<'body_too_large'>;
        415: Refused<'unsupported_media_type'>;
        422: Refused<('invalid_body' | 'idempotency_key_reused')>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
  }>;
  '/v1/conversations/{id}/feedback_link': Only<{
    /** Create a feedback link */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** Makes a request safe to repeat. For 24 hours, the same request gets the same response, with `Idempotency-Replayed: true`. */
          'Idempotency-Key'?: string;
        };
        path: {
          /** Id of the conversation. */
          id: string;
        };
        cookie?: never;
      };
      requestBody?: { content: {
        'application/json': {
          /** How long the link is valid, in seconds. */
          expires_in_sec?: number;
        };
      } };
      responses: {
        200: { headers: { [name: string]: unknown }; content: {
          'application/json': components['schemas']['FeedbackLink'];
        } };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter' | 'malformed_json')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        404: Refused<'not_found'>;
        409: Refused<'idempotency_in_progress'>;
        413: Refused<'body_too_large'>;
        415: Refused<'unsupported_media_type'>;
        422: Refused<('invalid_body' | 'idempotency_key_reused')>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
  }>;
  '/v1/conversations/{id}/transcript': Only<{
    /** Read a transcript */
    get: {
      parameters: {
        query?: {
          /** Format: JSON, plain text, or WebVTT for media players. */
          format?: ('json' | 'text' | 'vtt');
        };
        header?: never;
        path: {
          /** Id of the conversation. */
          id: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: { headers: { [name: string]: unknown }; content: {
          'application/json': components['schemas']['Transcript'];
          'text/plain': string;
          'text/vtt': string;
        } };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        404: Refused<'not_found'>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
  }>;
  '/v1/conversations/{id}/events': Only<{
    /** Stream a conversation */
    get: {
      parameters: {
        query?: {
          /** Index of the last turn that was received. -1 means none. */
          last_event_id?: number;
        };
        header?: {
          /** The last `id` that was received. The stream continues after it. */
          'Last-Event-ID'?: string;
        };
        path: {
          /** Id of the conversation. */
          id: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: { headers: { [name: string]: unknown }; content: {
          'text/event-stream': string;
        } };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        404: Refused<'not_found'>;
        429: Refused<('rate_limited' | 'too_many_in_flight')>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
  }>;
  '/v1/chat/completions': Only<{
    /** Create a chat completion (OpenAI-compatible) */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** Makes a request safe to repeat. For 24 hours, the same request gets the same response, with `Idempotency-Replayed: true`. */
          'Idempotency-Key'?: string;
        };
        path?: never;
        cookie?: never;
      };
      requestBody: { content: {
        'application/json': {
          /** Id of an agent or of one of its versions: `agt_…` or `agt_…@3`. */
          model: string;
          /** Messages so far, oldest first. Without a user message at the end, the agent speaks first. */
          messages: {
            /** Author of the message. */
            role: ('system' | 'developer' | 'user' | 'assistant');
            /** Text of the message: a string, or a list of parts of the type `text`. */
            content?: (string | null | {
              type?: ('text' | 'refusal');
            }[]);
            /** Ignored, or rejected if the response would differ: must be omitted: Parley runs the tools of an agent. */
            tool_calls?: unknown;
            /** Ignored, or rejected if the response would differ: must be omitted: Parley runs the tools of an agent. */
            function_call?: unknown;
          }[];
          /** If true, the response is streamed in chunks as server-sent events. */
          stream?: (boolean | null);
          /** `include_usage: true` adds the usage to a stream. */
          stream_options?: unknown;
          /** Ignored, or rejected if the response would differ: must be 1: an agent returns one answer. */
          n?: unknown;
          /** Metadata of the conversation. `conversation_id` continues that conversation. Values other than strings are stored as JSON. */
          metadata?: { [name: string]: unknown };
          /** Your id of the user; becomes `user_id` of the conversation. */
          user?: unknown;
          /** Your id of the user, if `user` is absent. */
          safety_identifier?: unknown;
          /** Ignored, or rejected if the response would differ: must be omitted: tools are declared in the agent, and Parley runs them. */
          tools?: unknown;
          /** Ignored, or rejected if the response would differ: must be omitted: tools are declared in the agent, and Parley runs them. */
          tool_choice?: unknown;
          /** Ignored, or rejected if the response would differ: must be omitted: tools are declared in the agent, and Parley runs them. */
          functions?: unknown;
          /** Ignored, or rejected if the response would differ: must be omitted: tools are declared in the agent, and Parley runs them. */
          function_call?: unknown;
          /** Ignored, or rejected if the response would differ: must be omitted: agents answer in text here. */
          audio?: unknown;
          /** Rejected with anything other than `text`. */
          modalities?: unknown;
          /** Rejected with a type other than `text`. */
          response_format?: unknown;
        };
      } };
      responses: {
        200: { headers: { [name: string]: unknown }; content: {
          'application/json': components['schemas']['ChatCompletion'];
          'text/event-stream': string;
        } };
        400: { headers: { [name: string]: unknown }; content: {
          'application/json': components['schemas']['OpenAiError'];
        } };
        401: { headers: { [name: string]: unknown }; content: {
          'application/json': components['schemas']['OpenAiError'];
        } };
        403: { headers: { [name: string]: unknown }; content: {
          'application/json': components['schemas']['OpenAiError'];
        } };
        404: { headers: { [name: string]: unknown }; content: {
          'application/json': components['schemas']['OpenAiError'];
        } };
        409: { headers: { [name: string]: unknown }; content: {
          'application/json': components['schemas']['OpenAiError'];
        } };
        413: { headers: { [name: string]: unknown }; content: {
          'application/json': components['schemas']['OpenAiError'];
        } };
        415: { headers: { [name: string]: unknown }; content: {
          'application/json': components['schemas']['OpenAiError'];
        } };
        429: { headers: { [name: string]: unknown }; content: {
          'application/json': components['schemas']['OpenAiError'];
        } };
        500: { headers: { [name: string]: unknown }; content: {
          'application/json': components['schemas']['OpenAiError'];
        } };
        502: { headers: { [name: string]: unknown }; content: {
          'application/json': components['schemas']['OpenAiError'];
        } };
        503: { headers: { [name: string]: unknown }; content: {
          'application/json': components['schemas']['OpenAiError'];
        } };
      };
    };
  }>;
  '/v1/models': Only<{
    /** List agents as models */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: { headers: { [name: string]: unknown }; content: {
          'application/json': components['schemas']['OpenAiModels'];
        } };
        400: { headers: { [name: string]: unknown }; content: {
          'application/json': components['schemas']['OpenAiError'];
        } };
        401: { headers: { [name: string]: unknown }; content: {
          'application/json': components['schemas']['OpenAiError'];
        } };
        403: { headers: { [name: string]: unknown }; content: {
          'application/json': components['schemas']['OpenAiError'];
        } };
        429: { headers: { [name: string]: unknown }; content: {
          'application/json': components['schemas']['OpenAiError'];
        } };
        500: { headers: { [name: string]: unknown }; content: {
          'application/json': components['schemas']['OpenAiError'];
        } };
        503: { headers: { [name: string]: unknown }; content: {
          'application/json': components['schemas']['OpenAiError'];
        } };
      };
    };
  }>;
  '/v1/models/{model}': Only<{
    /** Read an agent as a model */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Id of an agent, or of one of its versions that was live. */
          model: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: { headers: { [name: string]: unknown }; content: {
          'application/json': components['schemas']['OpenAiModel'];
        } };
        400: { headers: { [name: string]: unknown }; content: {
          'application/json': components['schemas']['OpenAiError'];
        } };
        401: { headers: { [name: string]: unknown }; content: {
          'application/json': components['schemas']['OpenAiError'];
        } };
        403: { headers: { [name: string]: unknown }; content: {
          'application/json': components['schemas']['OpenAiError'];
        } };
        404: { headers: { [name: string]: unknown }; content: {
          'application/json': components['schemas']['OpenAiError'];
        } };
        429: { headers: { [name: string]: unknown }; content: {
          'application/json': components['schemas']['OpenAiError'];
        } };
        500: { headers: { [name: string]: unknown }; content: {
          'application/json': components['schemas']['OpenAiError'];
        } };
        503: { headers: { [name: string]: unknown }; content: {
          'application/json': components['schemas']['OpenAiError'];
        } };
      };
    };
  }>;
  '/v1/escalations': Only<{
    /** List escalations */
    get: {
      parameters: {
        query?: {
          status?: ('requested' | 'accepted' | 'declined' | 'timed_out' | 'completed' | 'canceled');
          conversation_id?: string;
          agent_id?: string;
          team?: string;
          /** `id` of the person who accepted the escalation. */
          accepted_by?: string;
          /** Time of the request in Unix seconds, inclusive. */
          created_after?: number;
          /** Time of the request in Unix seconds, exclusive. */
          created_before?: number;
          /** Unix seconds, inclusive. */
          finished_after?: number;
          /** Unix seconds, exclusive. */
          finished_before?: number;
          /** If true, only escalations that are `missed`. If false, only the others. */
          missed?: boolean;
          /** If true, includes test conversations. Default: false. */
          test?: boolean;
          /** Which items come first. Default: newest. */
          order?: ('newest' | 'oldest');
          /** If true, the response has `total_count`. Default: false. */
          total?: boolean;
          /** Maximum number of items in a page. */
          limit?: number;
          /** `next_cursor` of the previous page. */
          cursor?: string;
        };
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: { headers: { [name: string]: unknown }; content: {
          'application/json': {
            data: components['schemas']['Escalation'][];
            has_more: boolean;
            /** Value of `cursor` for the next page. Null on the last page. */
            next_cursor: (string | null);
            /** Number of items on all pages, at most 10,000; this number also stands for more. Null if counting takes more than half a second. Absent without `total=true`. */
            total_count?: (number | null);
          };
        } };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
  }>;
  '/v1/escalations/{id}': Only<{
    /** Read an escalation */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Id of the escalation. */
          id: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: { headers: { [name: string]: unknown }; content: {
          'application/json': components['schemas']['Escalation'];
        } };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        404: Refused<'not_found'>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
  }>;
  '/v1/escalations/{id}/accept': Only<{
    /** Accept an escalation */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** Makes a request safe to repeat. For 24 hours, the same request gets the same response, with `Idempotency-Replayed: true`. */
          'Idempotency-Key'?: string;
        };
        path: {
          /** Id of the escalation. */
          id: string;
        };
        cookie?: never;
      };
      requestBody: { content: {
        'application/json': {
          /** The person taking over. */
          accepted_by: {
            /** Your id of the person. */
            id: string;
            /** Name that the user sees. It must be one line without control characters. */
            name: string;
          };
          /** Maximum number of seconds without a heartbeat or a message. After that the escalation is released and waits for another person. If absent, no heartbeat is required. */
          heartbeat_sec?: number;
        };
      } };
      responses: {
        200: { headers: { [name: string]: unknown }; content: {
          'application/json': components['schemas']['Escalation'];
        } };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter' | 'malformed_json')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        404: Refused<'not_found'>;
        409: Refused<('idempotency_in_progress' | 'already_accepted' | 'escalation_closed')>;
        413: Refused<'body_too_large'>;
        415: Refused<'unsupported_media_type'>;
        422: Refused<('invalid_body' | 'idempotency_key_reused')>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
  }>;
  '/v1/escalations/{id}/decline': Only<{
    /** Decline an escalation */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** Makes a request safe to repeat. For 24 hours, the same request gets the same response, with `Idempotency-Replayed: true`. */
          'Idempotency-Key'?: string;
        };
        path: {
          /** Id of the escalation. */
          id: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: { headers: { [name: string]: unknown }; content: {
          'application/json': components['schemas']['Escalation'];
        } };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter' | 'malformed_json')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        404: Refused<'not_found'>;
        409: Refused<('idempotency_in_progress' | 'already_accepted' | 'escalation_closed')>;
        413: Refused<'body_too_large'>;
        415: Refused<'unsupported_media_type'>;
        422: Refused<('invalid_body' | 'idempotency_key_reused')>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
  }>;
  '/v1/escalations/{id}/complete': Only<{
    /** Complete an escalation */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** Makes a request safe to repeat. For 24 hours, the same request gets the same response, with `Idempotency-Replayed: true`. */
          'Idempotency-Key'?: string;
        };
        path: {
          /** Id of the escalation. */
          id: string;
        };
        cookie?: never;
      };
      requestBody?: { content: {
        'application/json': {
          /** `id` of the acting person. If another person accepted the escalation, the response is 409 `already_accepted`. */
          by?: string;
        };
      } };
      responses: {
        200: { headers: { [name: string]: unknown }; content: {
          'application/json': components['schemas']['Escalation'];
        } };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter' | 'malformed_json')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        404: Refused<'not_found'>;
        409: Refused<('idempotency_in_progress' | 'already_accepted' | 'escalation_not_accepted' | 'escalation_closed')>;
        413: Refused<'body_too_large'>;
        415: Refused<'unsupported_media_type'>;
        422: Refused<('invalid_body' | 'idempotency_key_reused')>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
  }>;
  '/v1/escalations/{id}/release': Only<{
    /** Release an escalation */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** Makes a request safe to repeat. For 24 hours, the same request gets the same response, with `Idempotency-Replayed: true`. */
          'Idempotency-Key'?: string;
        };
        path: {
          /** Id of the escalation. */
          id: string;
        };
        cookie?: never;
      };
      requestBody?: { content: {
        'application/json': {
          /** `id` of the acting person. If another person accepted the escalation, the response is 409 `already_accepted`. */
          by?: string;
          /** Team to request. Default: the same team. */
          team?: string;
        };
      } };
      responses: {
        200: { headers: { [name: string]: unknown }; content: {
          'application/json': components['schemas']['Escalation'];
        } };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter' | 'malformed_json')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        404: Refused<'not_found'>;
        409: Refused<('idempotency_in_progress' | 'already_accepted' | 'escalation_not_accepted' | 'escalation_closed')>;
        413: Refused<'body_too_large'>;
        415: Refused<'unsupported_media_type'>;
        422: Refused<('invalid_body' | 'idempotency_key_reused')>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
  }>;
  '/v1/escalations/{id}/heartbeat': Only<{
    /** Send a heartbeat for an escalation */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** Makes a request safe to repeat. For 24 hours, the same request gets the same response, with `Idempotency-Replayed: true`. */
          'Idempotency-Key'?: string;
        };
        path: {
          /** Id of the escalation. */
          id: string;
        };
        cookie?: never;
      };
      requestBody?: { content: {
        'application/json': {
          /** `id` of the acting person. If another person accepted the escalation, the response is 409 `already_accepted`. */
          by?: string;
        };
      } };
      responses: {
        200: { headers: { [name: string]: unknown }; content: {
          'application/json': components['schemas']['Escalation'];
        } };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter' | 'malformed_json')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        404: Refused<'not_found'>;
        409: Refused<('idempotency_in_progress' | 'already_accepted' | 'escalation_not_accepted' | 'escalation_closed')>;
        413: Refused<'body_too_large'>;
        415: Refused<'unsupported_media_type'>;
        422: Refused<('invalid_body' | 'idempotency_key_reused')>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
  }>;
  '/v1/escalations/{id}/review': Only<{
    /** Review a missed escalation */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** Makes a request safe to repeat. For 24 hours, the same request gets the same response, with `Idempotency-Replayed: true`. */
          'Idempotency-Key'?: string;
        };
        path: {
          /** Id of the escalation. */
          id: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: { headers: { [name: string]: unknown }; content: {
          'application/json': components['schemas']['Escalation'];
        } };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter' | 'malformed_json')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        404: Refused<'not_found'>;
        409: Refused<'idempotency_in_progress'>;
        413: Refused<'body_too_large'>;
        415: Refused<'unsupported_media_type'>;
        422: Refused<('invalid_body' | 'idempotency_key_reused')>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
  }>;
  '/v1/escalations/{id}/messages': Only<{
    /** Send a message as the human */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** Makes a request safe to repeat. For 24 hours, the same request gets the same response, with `Idempotency-Replayed: true`. */
          'Idempotency-Key'?: string;
        };
        path: {
          /** Id of the escalation. */
          id: string;
        };
        cookie?: never;
      };
      requestBody: { content: {
        'application/json': {
          /** Text of the message. Must not be blank. */
          text: string;
          /** `id` of the acting person. If another person accepted the escalation, the response is 409 `already_accepted`. */
          by?: string;
        };
      } };
      responses: {
        200: { headers: { [name: string]: unknown }; content: {
          'application/json': components['schemas']['MessageAnswer'];
        } };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter' | 'malformed_json')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        404: Refused<'not_found'>;
        409: Refused<('idempotency_in_progress' | 'already_accepted' | 'escalation_not_accepted' | 'escalation_closed')>;
        413: Refused<'body_too_large'>;
        415: Refused<'unsupported_media_type'>;
        422: Refused<('invalid_body' | 'idempotency_key_reused')>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
  }>;
  '/v1/escalations/{id}/notes': Only<{
    /** List the private notes of an escalation */
    get: {
      parameters: {
        query?: {
          /** Which items come first. Default: newest. */
          order?: ('newest' | 'oldest');
          /** Maximum number of items in a page. */
          limit?: number;
          /** `next_cursor` of the previous page. */
          cursor?: string;
        };
        header?: never;
        path: {
          /** Id of the escalation. */
          id: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: { headers: { [name: string]: unknown }; content: {
          'application/json': {
            data: components['schemas']['EscalationNote'][];
            has_more: boolean;
            /** Value of `cursor` for the next page. Null on the last page. */
            next_cursor: (string | null);
          };
        } };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        404: Refused<'not_found'>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
    /** Add a private note to an escalation */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** Makes a request safe to repeat. For 24 hours, the same request gets the same response, with `Idempotency-Replayed: true`. */
          'Idempotency-Key'?: string;
        };
        path: {
          /** Id of the escalation. */
          id: string;
        };
        cookie?: never;
      };
      requestBody: { content: {
        'application/json': {
          /** Text of the note. Must not be blank. */
          text: string;
          /** The person who wrote it. */
          by?: {
            /** Your id of the person. */
            id: string;
            /** Name that the user sees. It must be one line without control characters. */
            name: string;
          };
        };
      } };
      responses: {
        201: { headers: { [name: string]: unknown }; content: {
          'application/json': components['schemas']['EscalationNote'];
        } };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter' | 'malformed_json')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        404: Refused<'not_found'>;
        409: Refused<'idempotency_in_progress'>;
        413: Refused<'body_too_large'>;
        415: Refused<'unsupported_media_type'>;
        422: Refused<('invalid_body' | 'idempotency_key_reused')>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
  }>;
  '/v1/escalations/{id}/notes/{note_id}': Only<{
    /** Delete a private note of an escalation */
    delete: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Id of the escalation. */
          id: string;
          /** Id of the note. */
          note_id: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        204: { headers: { [name: string]: unknown }; content?: never };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter' | 'malformed_json')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        404: Refused<'not_found'>;
        413: Refused<'body_too_large'>;
        415: Refused<'unsupported_media_type'>;
        422: Refused<'invalid_body'>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
  }>;
  '/v1/canned_replies': Only<{
    /** List canned replies */
    get: {
      parameters: {
        query?: {
          /** Which items come first. Default: newest. */
          order?: ('newest' | 'oldest');
          /** Maximum number of items in a page. */
          limit?: number;
          /** `next_cursor` of the previous page. */
          cursor?: string;
        };
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: { headers: { [name: string]: unknown }; content: {
          'application/json': {
            data: components['schemas']['CannedReply'][];
            has_more: boolean;
            /** Value of `cursor` for the next page. Null on the last page. */
            next_cursor: (string | null);
          };
        } };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
    /** Create a canned reply */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** Makes a request safe to repeat. For 24 hours, the same request gets the same response, with `Idempotency-Replayed: true`. */
          'Idempotency-Key'?: string;
        };
        path?: never;
        cookie?: never;
      };
      requestBody: { content: {
        'application/json': {
          /** Title in the list, one line. */
          title: string;
          /** Text. Programs replace `{{name}}` when a person inserts it. Must not be blank. */
          text: string;
        };
      } };
      responses: {
        201: { headers: { [name: string]: unknown }; content: {
          'application/json': components['schemas']['CannedReply'];
        } };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter' | 'malformed_json')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        409: Refused<('idempotency_in_progress' | 'quota_exceeded')>;
        413: Refused<'body_too_large'>;
        415: Refused<'unsupported_media_type'>;
        422: Refused<('invalid_body' | 'idempotency_key_reused')>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
  }>;
  '/v1/canned_replies/{id}': Only<{
    /** Read a canned reply */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Id of the canned reply. */
          id: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: { headers: { [name: string]: unknown }; content: {
          'application/json': components['schemas']['CannedReply'];
        } };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        404: Refused<'not_found'>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
    /** Change a canned reply */
    patch: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Id of the canned reply. */
          id: string;
        };
        cookie?: never;
      };
      requestBody: { content: {
        'application/json': {
          /** Title in the list, one line. */
          title?: string;
          /** Text. Programs replace `{{name}}` when a person inserts it. Must not be blank. */
          text?: string;
        };
        'application/merge-patch+json': {
          /** Title in the list, one line. */
          title?: string;
          /** Text. Programs replace `{{name}}` when a person inserts it. Must not be blank. */
          text?: string;
        };
      } };
      responses: {
        200: { headers: { [name: string]: unknown }; content: {
          'application/json': components['schemas']['CannedReply'];
        } };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter' | 'malformed_json')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        404: Refused<'not_found'>;
        413: Refused<'body_too_large'>;
        415: Refused<'unsupported_media_type'>;
        422: Refused<'invalid_body'>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
    /** Delete a canned reply */
    delete: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Id of the canned reply. */
          id: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        204: { headers: { [name: string]: unknown }; content?: never };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter' | 'malformed_json')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        404: Refused<'not_found'>;
        413: Refused<'body_too_large'>;
        415: Refused<'unsupported_media_type'>;
        422: Refused<'invalid_body'>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
  }>;
  '/v1/agents/{id}/tool_calls': Only<{
    /** Call a webhook tool once */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** Makes a request safe to repeat. For 24 hours, the same request gets the same response, with `Idempotency-Replayed: true`. */
          'Idempotency-Key'?: string;
        };
        path: {
          /** Id of the agent. */
          id: string;
        };
        cookie?: never;
      };
      requestBody: { content: {
        'application/json': {
          /** The tool, as in `tools` of an agent. It need not be saved. */
          tool: {
            /** Type of the tool, which determines what happens when the agent uses it. */
            type: ('webhook' | 'end_call' | 'transfer_call' | 'knowledge_search' | 'handoff');
            /** Name by which the model calls the tool. Unique within the agent. Must contain only letters, digits, underscores and hyphens, and begin with a letter or an underscore. */
            name: string;
            /** Explains to the model when to use the tool. */
            description?: string;
            /** JSON Schema of the arguments that the model fills in; at most 64 KiB, 2000 members and elements, 64 deep. */
            parameters?: { [name: string]: unknown };
            /** Address that a webhook tool calls. Must be an http or https URL in ASCII, such as https://example.com/hook, without user and password. */
            url?: string;
            /** HTTP method of a webhook tool. Default: POST. */
            method?: ('GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE');
            /** Extra headers of the request. */
            headers?: { [name: string]: string };
            /** Secret that is sent as a bearer token. It must carry the label parley.dev/allow: "true". */
            secret_ref?: {
              /** Name of the Secret, in the same namespace. Must be a DNS name: lower-case letters, digits, hyphens and dots, a letter or digit at both ends. */
              name: string;
              /** Key inside the Secret. Must consist of letters, digits, dots, hyphens and underscores. */
              key: string;
            };
            /** Secret that signs the requests, in the same way as events. It must carry the label parley.dev/allow: "true". */
            signing_secret_ref?: {
              /** Name of the Secret, in the same namespace. Must be a DNS name: lower-case letters, digits, hyphens and dots, a letter or digit at both ends. */
              name: string;
              /** Key inside the Secret. Must consist of letters, digits, dots, hyphens and underscores. */
              key: string;
            };
            /** Maximum wait for the whole response, in milliseconds. Default: 8000. */
            timeout_ms?: number;
            /** Agent in the same namespace to which a handoff tool gives the conversation. Must be a DNS label: at most 63 lower-case letters, digits and hyphens, without a hyphen at either end. */
            agent?: string;
            /** Version of that agent. If absent, the version that is active when this agent's version goes live. */
            version?: number;
            /** Bearer token, which no response shows. Parley stores it in a Secret of its own and sets `secret_ref`. Must have 1 to 8192 visible ASCII characters without spaces. */
            secret?: string;
            /** Key of the signatures, which no response shows: `whsec_` followed by 24 to 64 bytes in base64. Parley stores it in a Secret of its own and sets `signing_secret_ref`. */
            signing_secret?: string;
          };
          /** Arguments that the model would fill in. They are checked with `parameters`. */
          arguments?: { [name: string]: unknown };
        };
      } };
      responses: {
        200: { headers: { [name: string]: unknown }; content: {
          'application/json': components['schemas']['ToolCallResult'];
        } };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter' | 'malformed_json')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        404: Refused<'not_found'>;
        409: Refused<'idempotency_in_progress'>;
        413: Refused<'body_too_large'>;
        415: Refused<'unsupported_media_type'>;
        422: Refused<('invalid_body' | 'idempotency_key_reused' | 'unsupported_type')>;
        429: Refused<('rate_limited' | 'too_many_in_flight')>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
  }>;
  '/v1/calls': Only<{
    /** List calls, newest first */
    get: {
      parameters: {
        query?: {
          status?: ('queued' | 'ringing' | 'in_progress' | 'transferring' | 'completed' | 'busy' | 'no_answer' | 'failed' | 'canceled');
          direction?: ('inbound' | 'outbound');
          agent_id?: string;
          conversation_id?: string;
          from?: string;
          to?: string;
          /** Unix seconds, inclusive. */
          created_after?: number;
          /** Unix seconds, exclusive. */
          created_before?: number;
          /** Maximum number of items in a page. */
          limit?: number;
          /** `next_cursor` of the previous page. */
          cursor?: string;
        };
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: { headers: { [name: string]: unknown }; content: {
          'application/json': {
            data: components['schemas']['Call'][];
            has_more: boolean;
            /** Value of `cursor` for the next page. Null on the last page. */
            next_cursor: (string | null);
          };
        } };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
    /** Place a call */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** Makes a request safe to repeat. For 24 hours, the same request gets the same response, with `Idempotency-Replayed: true`. */
          'Idempotency-Key'?: string;
        };
        path?: never;
        cookie?: never;
      };
      requestBody: { content: {
        'application/json': {
          /** Agent that talks; it must be published. Must be an id like agt_01jdn0wzave008001tbgfjpkbe. */
          agent_id: string;
          direction?: ('inbound' | 'outbound');
          /** Number of the caller in E.164. Required for inbound calls. Must be a phone number such as +442071838750: a plus sign and 2 to 15 digits. */
          from?: string;
          /** Number to call in E.164. Required for outbound calls. Must be a phone number such as +442071838750: a plus sign and 2 to 15 digits. */
          to?: string;
          /** Name of the TelephonyProvider that carries the call, or `simulated`. Must be a DNS label: at most 63 lower-case letters, digits and hyphens, without a hyphen at either end. */
          provider?: string;
          /** Your id of the user. */
          user_id?: string;
          /** What the agent may know about the user: at most 64 KiB of JSON. `{{name}}` in the prompt and in the first message is replaced by the value of `name`. */
          variables?: { [name: string]: unknown };
          /** Your own key-value pairs. Parley stores and returns them, and does not interpret them. */
          metadata?: { [name: string]: string };
          /** How the other end behaves if the provider is `simulated`; default: it answers and is silent. */
          simulated?: {
            /** Outcome of the dialing: a person or voicemail picks up, or nobody does. */
            answer?: ('answered' | 'busy' | 'no_answer' | 'failed' | 'voicemail');
            /** Milliseconds until somebody picks up. */
            ring_ms?: number;
            /** Turns of the user, in order. */
            turns?: {
              /** Words of the user. Must not be blank. */
              text: string;
              /** Milliseconds since the end of the previous turn. */
              after_ms?: number;
            }[];
            /** If true, the user hangs up after the last turn. If false, the line stays open until the call is ended or the silence lasts too long. Default: true if there are turns. */
            hang_up?: boolean;
          };
        };
      } };
      responses: {
        201: { headers: { [name: string]: unknown }; content: {
          'application/json': components['schemas']['Call'];
        } };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter' | 'malformed_json')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        409: Refused<('idempotency_in_progress' | 'not_published')>;
        413: Refused<'body_too_large'>;
        415: Refused<'unsupported_media_type'>;
        422: Refused<('invalid_body' | 'idempotency_key_reused')>;
        429: Refused<('rate_limited' | 'too_many_in_flight')>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
  }>;
  '/v1/calls/{id}': Only<{
    /** Read a call */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Id of the call. */
          id: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: { headers: { [name: string]: unknown }; content: {
          'application/json': components['schemas']['Call'];
        } };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        404: Refused<'not_found'>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
  }>;
  '/v1/calls/{id}/end': Only<{
    /** Hang up */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** Makes a request safe to repeat. For 24 hours, the same request gets the same response, with `Idempotency-Replayed: true`. */
          'Idempotency-Key'?: string;
        };
        path: {
          /** Id of the call. */
          id: string;
        };
        cookie?: never;
      };
      requestBody?: { content: {
        'application/json': Record<string, never>;
      } };
      responses: {
        200: { headers: { [name: string]: unknown }; content: {
          'application/json': components['schemas']['Call'];
        } };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter' | 'malformed_json')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        404: Refused<'not_found'>;
        409: Refused<('idempotency_in_progress' | 'call_ended')>;
        413: Refused<'body_too_large'>;
        415: Refused<'unsupported_media_type'>;
        422: Refused<('invalid_body' | 'idempotency_key_reused')>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
  }>;
  '/v1/calls/{id}/transfer': Only<{
    /** Transfer a call to another number */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** Makes a request safe to repeat. For 24 hours, the same request gets the same response, with `Idempotency-Replayed: true`. */
          'Idempotency-Key'?: string;
        };
        path: {
          /** Id of the call. */
          id: string;
        };
        cookie?: never;
      };
      requestBody: { content: {
        'application/json': {
          /** E.164. Must be a phone number such as +442071838750: a plus sign and 7 to 15 digits. */
          to: string;
        };
      } };
      responses: {
        202: { headers: { [name: string]: unknown }; content: {
          'application/json': components['schemas']['Call'];
        } };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter' | 'malformed_json')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        404: Refused<'not_found'>;
        409: Refused<('idempotency_in_progress' | 'call_ended' | 'call_not_connected' | 'call_transferring')>;
        413: Refused<'body_too_large'>;
        415: Refused<'unsupported_media_type'>;
        422: Refused<('invalid_body' | 'idempotency_key_reused')>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
  }>;
  '/v1/calls/{id}/dtmf': Only<{
    /** Send DTMF tones */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** Makes a request safe to repeat. For 24 hours, the same request gets the same response, with `Idempotency-Replayed: true`. */
          'Idempotency-Key'?: string;
        };
        path: {
          /** Id of the call. */
          id: string;
        };
        cookie?: never;
      };
      requestBody: { content: {
        'application/json': {
          /** Keys to press: 0-9, *, #, A-D, and `w` for a pause of half a second. Must contain only telephone keys: 0-9, *, #, A-D, and w for a pause of half a second. */
          digits: string;
        };
      } };
      responses: {
        202: { headers: { [name: string]: unknown }; content: {
          'application/json': components['schemas']['Call'];
        } };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter' | 'malformed_json')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        404: Refused<'not_found'>;
        409: Refused<('idempotency_in_progress' | 'call_ended' | 'call_not_connected' | 'call_transferring')>;
        413: Refused<'body_too_large'>;
        415: Refused<'unsupported_media_type'>;
        422: Refused<('invalid_body' | 'idempotency_key_reused')>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
  }>;
  '/v1/telephony/twilio/voice': Only<{
    /** Answer a call of Twilio */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody: { content: {
        'application/x-www-form-urlencoded': string;
      } };
      responses: {
        200: { headers: { [name: string]: unknown }; content: {
          'text/xml': string;
        } };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter' | 'malformed_json')>;
        401: Refused<'invalid_signature'>;
        413: Refused<'body_too_large'>;
        415: Refused<'unsupported_media_type'>;
        422: Refused<'invalid_body'>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
  }>;
  '/v1/telephony/twilio/status': Only<{
    /** Receive a status callback from Twilio */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody: { content: {
        'application/x-www-form-urlencoded': string;
      } };
      responses: {
        200: { headers: { [name: string]: unknown }; content: {
          'text/xml': string;
        } };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter' | 'malformed_json')>;
        401: Refused<'invalid_signature'>;
        413: Refused<'body_too_large'>;
        415: Refused<'unsupported_media_type'>;
        422: Refused<'invalid_body'>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
  }>;
  '/v1/telephony/telnyx/voice': Only<{
    /** Answer a call of Telnyx */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody: { content: {
        'application/x-www-form-urlencoded': string;
      } };
      responses: {
        200: { headers: { [name: string]: unknown }; content: {
          'text/xml': string;
        } };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter' | 'malformed_json')>;
        401: Refused<'invalid_signature'>;
        413: Refused<'body_too_large'>;
        415: Refused<'unsupported_media_type'>;
        422: Refused<'invalid_body'>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
  }>;
  '/v1/telephony/telnyx/status': Only<{
    /** Receive a status callback from Telnyx */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody: { content: {
        'application/x-www-form-urlencoded': string;
      } };
      responses: {
        200: { headers: { [name: string]: unknown }; content: {
          'text/xml': string;
        } };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter' | 'malformed_json')>;
        401: Refused<'invalid_signature'>;
        413: Refused<'body_too_large'>;
        415: Refused<'unsupported_media_type'>;
        422: Refused<'invalid_body'>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
  }>;
  '/v1/telephony/plivo/voice': Only<{
    /** Answer a call of Plivo */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody: { content: {
        'application/x-www-form-urlencoded': string;
      } };
      responses: {
        200: { headers: { [name: string]: unknown }; content: {
          'text/xml': string;
        } };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter' | 'malformed_json')>;
        401: Refused<'invalid_signature'>;
        413: Refused<'body_too_large'>;
        415: Refused<'unsupported_media_type'>;
        422: Refused<'invalid_body'>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
  }>;
  '/v1/telephony/plivo/status': Only<{
    /** Receive a status callback from Plivo */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody: { content: {
        'application/x-www-form-urlencoded': string;
      } };
      responses: {
        200: { headers: { [name: string]: unknown }; content: {
          'text/xml': string;
        } };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter' | 'malformed_json')>;
        401: Refused<'invalid_signature'>;
        413: Refused<'body_too_large'>;
        415: Refused<'unsupported_media_type'>;
        422: Refused<'invalid_body'>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
  }>;
  '/v1/agents/{id}/speech': Only<{
    /** Hear a voice */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** Makes a request safe to repeat. For 24 hours, the same request gets the same response, with `Idempotency-Replayed: true`. */
          'Idempotency-Key'?: string;
        };
        path: {
          /** Id of the agent. */
          id: string;
        };
        cookie?: never;
      };
      requestBody: { content: {
        'application/json': {
          /** Text to speak. */
          text: string;
          /** The voice, as in `voice` of an agent. It need not be saved. Default: the declared voice of the agent. */
          voice?: {
            /** Speech provider (TTS): a ModelProvider with speech in the same namespace, or a provider that the carrier supports. */
            provider?: string;
            /** Speech model. Defaults to the provider's default model. */
            model?: string;
            /** The provider's id of the voice. */
            voice_id?: string;
            /** BCP 47 tag of the spoken language, such as en-GB. Must be a language tag, such as en or pt-BR. */
            language?: string;
            /** Speed of the speech. 1 is the normal speed. */
            speed?: number;
            /** Fallbacks in order of preference, used when the first provider fails. */
            fallback?: {
              /** Provider of the fallback. Defaults to the provider of the voice. */
              provider?: string;
              /** Speech model. Defaults to the provider's default model. */
              model?: string;
              /** The provider's id of the voice. Defaults to the voice of the agent if the provider is the same, otherwise to the provider's default voice. */
              voice_id?: string;
            }[];
          };
        };
      } };
      responses: {
        200: { headers: { [name: string]: unknown }; content: {
          'audio/wav': string;
        } };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter' | 'malformed_json')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        404: Refused<'not_found'>;
        409: Refused<'idempotency_in_progress'>;
        413: Refused<'body_too_large'>;
        415: Refused<'unsupported_media_type'>;
        422: Refused<('invalid_body' | 'idempotency_key_reused')>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        502: Refused<'reply_failed'>;
        503: Refused<'unavailable'>;
      };
    };
  }>;
  '/v1/customers/{user_id}': Only<{
    /** Read a customer in figures */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Your id of the user, percent-encoded: `user_id` of their conversations and calls. */
          user_id: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: { headers: { [name: string]: unknown }; content: {
          'application/json': components['schemas']['Customer'];
        } };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        404: Refused<'not_found'>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
    /** Erase a customer */
    delete: {
      parameters: {
        query?: {
          /** What happens to undelivered events of the conversation. `deliver`: the events are sent without the words, `user_id` and `metadata` of the conversation. `cancel`: the events are canceled. */
          events?: ('deliver' | 'cancel');
        };
        header?: never;
        path: {
          /** Your id of the user, percent-encoded: `user_id` of their conversations and calls. */
          user_id: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        202: { headers: { [name: string]: unknown }; content: {
          'application/json': components['schemas']['CustomerErasure'];
        } };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter' | 'malformed_json')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        404: Refused<'not_found'>;
        413: Refused<'body_too_large'>;
        415: Refused<'unsupported_media_type'>;
        422: Refused<'invalid_body'>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
  }>;
  '/v1/customers/{user_id}/activity': Only<{
    /** List a customer's conversations and calls, newest first */
    get: {
      parameters: {
        query?: {
          /** If true, includes test conversations. Default: false. */
          test?: boolean;
          /** Maximum number of items in a page. */
          limit?: number;
          /** `next_cursor` of the previous page. */
          cursor?: string;
        };
        header?: never;
        path: {
          /** Your id of the user, percent-encoded: `user_id` of their conversations and calls. */
          user_id: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: { headers: { [name: string]: unknown }; content: {
          'application/json': {
            data: components['schemas']['CustomerActivity'][];
            has_more: boolean;
            /** Value of `cursor` for the next page. Null on the last page. */
            next_cursor: (string | null);
          };
        } };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        404: Refused<'not_found'>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
  }>;
  '/v1/customers/{user_id}/export': Only<{
    /** Export all data about a customer */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Your id of the user, percent-encoded: `user_id` of their conversations and calls. */
          user_id: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: { headers: { [name: string]: unknown }; content: {
          'application/json': components['schemas']['CustomerExport'];
        } };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        404: Refused<'not_found'>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
  }>;
  '/v1/customer_erasures': Only<{
    /** List erasures of customers, newest first */
    get: {
      parameters: {
        query?: {
          status?: ('running' | 'done');
          /** Maximum number of items in a page. */
          limit?: number;
          /** `next_cursor` of the previous page. */
          cursor?: string;
        };
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: { headers: { [name: string]: unknown }; content: {
          'application/json': {
            data: components['schemas']['CustomerErasure'][];
            has_more: boolean;
            /** Value of `cursor` for the next page. Null on the last page. */
            next_cursor: (string | null);
          };
        } };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
  }>;
  '/v1/customer_erasures/{id}': Only<{
    /** Read the erasure of a customer and its progress */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Id of the erasure. */
          id: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: { headers: { [name: string]: unknown }; content: {
          'application/json': components['schemas']['CustomerErasure'];
        } };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        404: Refused<'not_found'>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
  }>;
  '/v1/knowledge/sources': Only<{
    /** List knowledge sources, newest first */
    get: {
      parameters: {
        query?: {
          type?: ('website' | 'file' | 'text' | 'integration');
          status?: ('pending' | 'syncing' | 'ready' | 'refreshing' | 'error');
          name?: string;
          /** Maximum number of items in a page. */
          limit?: number;
          /** `next_cursor` of the previous page. */
          cursor?: string;
        };
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: { headers: { [name: string]: unknown }; content: {
          'application/json': {
            data: components['schemas']['KnowledgeSource'][];
            has_more: boolean;
            /** Value of `cursor` for the next page. Null on the last page. */
            next_cursor: (string | null);
          };
        } };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
    /** Create a knowledge source */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** Makes a request safe to repeat. For 24 hours, the same request gets the same response, with `Idempotency-Replayed: true`. */
          'Idempotency-Key'?: string;
        };
        path?: never;
        cookie?: never;
      };
      requestBody: { content: {
        'application/json': {
          /** DNS label, unique in the namespace. Generated if absent. Must be a DNS label: at most 63 lower-case letters, digits and hyphens, without a hyphen at either end. */
          name?: string;
          /** Type of the source. The content of a file is uploaded through the REST API. */
          type: ('website' | 'file' | 'text' | 'integration');
          /** Website to read. Only for type website. */
          website?: {
            /** Address of the first page. Must be an http or https URL in ASCII, such as https://example.com/hook, without user and password. */
            url: string;
            /** Maximum number of links to follow from the first page. 0 reads only that page. Default: 5. */
            max_depth?: number;
            /** Maximum number of pages. Default: 500. */
            max_pages?: number;
            /** Patterns of paths to include, such as /help/*. */
            include?: string[];
            /** Patterns of paths to exclude. */
            exclude?: string[];
            /** Pause between two requests, in milliseconds. 0 allows concurrent requests. Default: 500. */
            delay_ms?: number;
          };
          /** Text of the source, plain or Markdown. Only for type text. */
          text?: string;
          /** System to read from. Only for type integration. */
          integration?: {
            /** Address of the feed from which documents are read. Must be an http or https URL in ASCII, such as https://example.com/hook, without user and password. */
            url: string;
            /** Extra headers of the request. */
            headers?: { [name: string]: string };
            /** Secret that is sent as a bearer token. It must carry the label parley.dev/allow: "true". */
            secret_ref?: {
              /** Name of the Secret, in the same namespace. Must be a DNS name: lower-case letters, digits, hyphens and dots, a letter or digit at both ends. */
              name: string;
              /** Key inside the Secret. Must consist of letters, digits, dots, hyphens and underscores. */
              key: string;
            };
            /** Secret that signs the requests, in the same way as events. It must carry the label parley.dev/allow: "true". */
            signing_secret_ref?: {
              /** Name of the Secret, in the same namespace. Must be a DNS name: lower-case letters, digits, hyphens and dots, a letter or digit at both ends. */
              name: string;
              /** Key inside the Secret. Must consist of letters, digits, dots, hyphens and underscores. */
              key: string;
            };
          };
          /** When to read the source again, as a cron expression. Only for types website and integration. Must be @hourly, @daily, @weekly, @monthly or the five fields of cron, such as 0 3 * * *. */
          schedule?: string;
          /** Provider and model that embed the passages. Defaults to the default provider if it supports embeddings. */
          embeddings?: {
            /** ModelProvider in the same namespace, or `default`. Must be a DNS label: at most 63 lower-case letters, digits and hyphens, without a hyphen at either end. */
            provider: string;
            /** Embedding model. Defaults to the provider's embeddings.defaultModel. */
            model?: string;
          };
          /** Your own key-value pairs, by which agents can select sources. */
          metadata?: { [name: string]: string };
        };
      } };
      responses: {
        201: { headers: { [name: string]: unknown }; content: {
          'application/json': components['schemas']['KnowledgeSource'];
        } };
        202: { headers: { [name: string]: unknown }; content: {
          'application/json': components['schemas']['KnowledgeSource'];
        } };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter' | 'malformed_json')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        409: Refused<('idempotency_in_progress' | 'name_taken' | 'quota_exceeded')>;
        413: Refused<'body_too_large'>;
        415: Refused<'unsupported_media_type'>;
        422: Refused<('invalid_body' | 'idempotency_key_reused')>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
  }>;
  '/v1/knowledge/sources/{id}': Only<{
    /** Read a knowledge source */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Id of the knowledge source. */
          id: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: { headers: { [name: string]: unknown }; content: {
          'application/json': components['schemas']['KnowledgeSource'];
        } };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        404: Refused<'not_found'>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
    /** Change a knowledge source */
    patch: {
      parameters: {
        query?: never;
        header?: {
          /** An `ETag` from an earlier response, or `*`. If the resource was changed since, the request is rejected with 412. */
          'If-Match'?: string;
        };
        path: {
          /** Id of the knowledge source. */
          id: string;
        };
        cookie?: never;
      };
      requestBody: { content: {
        'application/json': {
          type?: unknown;
          /** Website to read. Only for type website. */
          website?: ({
            /** Address of the first page. Must be an http or https URL in ASCII, such as https://example.com/hook, without user and password. */
            url?: (string | null);
            /** Maximum number of links to follow from the first page. 0 reads only that page. Default: 5. */
            max_depth?: (number | null);
            /** Maximum number of pages. Default: 500. */
            max_pages?: (number | null);
            /** Patterns of paths to include, such as /help/*. */
            include?: (string[] | null);
            /** Patterns of paths to exclude. */
            exclude?: (string[] | null);
            /** Pause between two requests, in milliseconds. 0 allows concurrent requests. Default: 500. */
            delay_ms?: (number | null);
          } | null);
          /** Text of the source, plain or Markdown. Only for type text. */
          text?: (string | null);
          /** System to read from. Only for type integration. */
          integration?: ({
            /** Address of the feed from which documents are read. Must be an http or https URL in ASCII, such as https://example.com/hook, without user and password. */
            url?: (string | null);
            /** Extra headers of the request. */
            headers?: ({ [name: string]: (string | null) } | null);
            /** Secret that is sent as a bearer token. It must carry the label parley.dev/allow: "true". */
            secret_ref?: ({
              /** Name of the Secret, in the same namespace. Must be a DNS name: lower-case letters, digits, hyphens and dots, a letter or digit at both ends. */
              name?: (string | null);
              /** Key inside the Secret. Must consist of letters, digits, dots, hyphens and underscores. */
              key?: (string | null);
            } | null);
            /** Secret that signs the requests, in the same way as events. It must carry the label parley.dev/allow: "true". */
            signing_secret_ref?: ({
              /** Name of the Secret, in the same namespace. Must be a DNS name: lower-case letters, digits, hyphens and dots, a letter or digit at both ends. */
              name?: (string | null);
              /** Key inside the Secret. Must consist of letters, digits, dots, hyphens and underscores. */
              key?: (string | null);
            } | null);
          } | null);
          /** When to read the source again, as a cron expression. Only for types website and integration. Must be @hourly, @daily, @weekly, @monthly or the five fields of cron, such as 0 3 * * *. */
          schedule?: (string | null);
          /** Provider and model that embed the passages. Defaults to the default provider if it supports embeddings. */
          embeddings?: ({
            /** ModelProvider in the same namespace, or `default`. Must be a DNS label: at most 63 lower-case letters, digits and hyphens, without a hyphen at either end. */
            provider?: (string | null);
            /** Embedding model. Defaults to the provider's embeddings.defaultModel. */
            model?: (string | null);
          } | null);
          /** Your own key-value pairs, by which agents can select sources. */
          metadata?: ({ [name: string]: (string | null) } | null);
          name?: unknown;
        };
        'application/merge-patch+json': {
          type?: unknown;
          /** Website to read. Only for type website. */
          website?: ({
            /** Address of the first page. Must be an http or https URL in ASCII, such as https://example.com/hook, without user and password. */
            url?: (string | null);
            /** Maximum number of links to follow from the first page. 0 reads only that page. Default: 5. */
            max_depth?: (number | null);
            /** Maximum number of pages. Default: 500. */
            max_pages?: (number | null);
            /** Patterns of paths to include, such as /help/*. */
            include?: (string[] | null);
            /** Patterns of paths to exclude. */
            exclude?: (string[] | null);
            /** Pause between two requests, in milliseconds. 0 allows concurrent requests. Default: 500. */
            delay_ms?: (number | null);
          } | null);
          /** Text of the source, plain or Markdown. Only for type text. */
          text?: (string | null);
          /** System to read from. Only for type integration. */
          integration?: ({
            /** Address of the feed from which documents are read. Must be an http or https URL in ASCII, such as https://example.com/hook, without user and password. */
            url?: (string | null);
            /** Extra headers of the request. */
            headers?: ({ [name: string]: (string | null) } | null);
            /** Secret that is sent as a bearer token. It must carry the label parley.dev/allow: "true". */
            secret_ref?: ({
              /** Name of the Secret, in the same namespace. Must be a DNS name: lower-case letters, digits, hyphens and dots, a letter or digit at both ends. */
              name?: (string | null);
              /** Key inside the Secret. Must consist of letters, digits, dots, hyphens and underscores. */
              key?: (string | null);
            } | null);
            /** Secret that signs the requests, in the same way as events. It must carry the label parley.dev/allow: "true". */
            signing_secret_ref?: ({
              /** Name of the Secret, in the same namespace. Must be a DNS name: lower-case letters, digits, hyphens and dots, a letter or digit at both ends. */
              name?: (string | null);
              /** Key inside the Secret. Must consist of letters, digits, dots, hyphens and underscores. */
              key?: (string | null);
            } | null);
          } | null);
          /** When to read the source again, as a cron expression. Only for types website and integration. Must be @hourly, @daily, @weekly, @monthly or the five fields of cron, such as 0 3 * * *. */
          schedule?: (string | null);
          /** Provider and model that embed the passages. Defaults to the default provider if it supports embeddings. */
          embeddings?: ({
            /** ModelProvider in the same namespace, or `default`. Must be a DNS label: at most 63 lower-case letters, digits and hyphens, without a hyphen at either end. */
            provider?: (string | null);
            /** Embedding model. Defaults to the provider's embeddings.defaultModel. */
            model?: (string | null);
          } | null);
          /** Your own key-value pairs, by which agents can select sources. */
          metadata?: ({ [name: string]: (string | null) } | null);
          name?: unknown;
        };
      } };
      responses: {
        200: { headers: { [name: string]: unknown }; content: {
          'application/json': components['schemas']['KnowledgeSource'];
        } };
        202: { headers: { [name: string]: unknown }; content: {
          'application/json': components['schemas']['KnowledgeSource'];
        } };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter' | 'malformed_json')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        404: Refused<'not_found'>;
        409: Refused<('managed_elsewhere' | 'write_conflict' | 'quota_exceeded')>;
        412: Refused<'precondition_failed'>;
        413: Refused<'body_too_large'>;
        415: Refused<'unsupported_media_type'>;
        422: Refused<'invalid_body'>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
    /** Delete a knowledge source */
    delete: {
      parameters: {
        query?: never;
        header?: {
          /** An `ETag` from an earlier response, or `*`. If the resource was changed since, the request is rejected with 412. */
          'If-Match'?: string;
        };
        path: {
          /** Id of the knowledge source. */
          id: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        204: { headers: { [name: string]: unknown }; content?: never };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter' | 'malformed_json')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        404: Refused<'not_found'>;
        409: Refused<('managed_elsewhere' | 'write_conflict')>;
        412: Refused<'precondition_failed'>;
        413: Refused<'body_too_large'>;
        415: Refused<'unsupported_media_type'>;
        422: Refused<'invalid_body'>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
  }>;
  '/v1/knowledge/sources/{id}/content': Only<{
    /** Upload the content of a source of type file */
    put: {
      parameters: {
        query?: {
          /** Name of the document. */
          file_name?: string;
        };
        header?: never;
        path: {
          /** Id of the knowledge source. */
          id: string;
        };
        cookie?: never;
      };
      requestBody: { content: {
        'text/plain': string;
        'text/markdown': string;
        'text/html': string;
        'application/xhtml+xml': string;
        'text/csv': string;
        'text/tab-separated-values': string;
        'application/pdf': string;
        'application/vnd.openxmlformats-officedocument.wordprocessingml.document': string;
        'application/zip': string;
        'application/x-zip-compressed': string;
        'application/octet-stream': string;
      } };
      responses: {
        202: { headers: { [name: string]: unknown }; content: {
          'application/json': components['schemas']['KnowledgeSource'];
        } };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter' | 'malformed_json')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        404: Refused<'not_found'>;
        409: Refused<'quota_exceeded'>;
        413: Refused<'body_too_large'>;
        415: Refused<'unsupported_media_type'>;
        422: Refused<('invalid_body' | 'unsupported_type')>;
        429: Refused<('rate_limited' | 'too_many_in_flight')>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
  }>;
  '/v1/knowledge/sources/{id}/documents': Only<{
    /** List the documents of a source, newest first */
    get: {
      parameters: {
        query?: {
          /** Maximum number of items in a page. */
          limit?: number;
          /** `next_cursor` of the previous page. */
          cursor?: string;
        };
        header?: never;
        path: {
          /** Id of the knowledge source. */
          id: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: { headers: { [name: string]: unknown }; content: {
          'application/json': {
            data: components['schemas']['KnowledgeDocument'][];
            has_more: boolean;
            /** Value of `cursor` for the next page. Null on the last page. */
            next_cursor: (string | null);
          };
        } };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        404: Refused<'not_found'>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
  }>;
  '/v1/knowledge/sources/{id}/sync': Only<{
    /** Sync a source */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** Makes a request safe to repeat. For 24 hours, the same request gets the same response, with `Idempotency-Replayed: true`. */
          'Idempotency-Key'?: string;
        };
        path: {
          /** Id of the knowledge source. */
          id: string;
        };
        cookie?: never;
      };
      requestBody?: { content: {
        'application/json': Record<string, never>;
      } };
      responses: {
        202: { headers: { [name: string]: unknown }; content: {
          'application/json': components['schemas']['KnowledgeSource'];
        } };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter' | 'malformed_json')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        404: Refused<'not_found'>;
        409: Refused<('idempotency_in_progress' | 'no_content')>;
        413: Refused<'body_too_large'>;
        415: Refused<'unsupported_media_type'>;
        422: Refused<('invalid_body' | 'idempotency_key_reused')>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
  }>;
  '/v1/knowledge/sources/{id}/syncs': Only<{
    /** List the syncs of a website or an integration, newest first */
    get: {
      parameters: {
        query?: {
          status?: ('queued' | 'running' | 'succeeded' | 'failed' | 'canceled');
          /** Maximum number of items in a page. */
          limit?: number;
          /** `next_cursor` of the previous page. */
          cursor?: string;
        };
        header?: never;
        path: {
          /** Id of the knowledge source. */
          id: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: { headers: { [name: string]: unknown }; content: {
          'application/json': {
            data: components['schemas']['KnowledgeSync'][];
            has_more: boolean;
            /** Value of `cursor` for the next page. Null on the last page. */
            next_cursor: (string | null);
          };
        } };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        404: Refused<'not_found'>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
  }>;
  '/v1/knowledge/sources/{id}/syncs/{sync_id}': Only<{
    /** Read a sync and its progress */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Id of the knowledge source. */
          id: string;
          /** Id of the sync. */
          sync_id: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: { headers: { [name: string]: unknown }; content: {
          'application/json': components['schemas']['KnowledgeSync'];
        } };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        404: Refused<'not_found'>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
  }>;
  '/v1/knowledge/sources/{id}/syncs/{sync_id}/cancel': Only<{
    /** Stop a sync */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** Makes a request safe to repeat. For 24 hours, the same request gets the same response, with `Idempotency-Replayed: true`. */
          'Idempotency-Key'?: string;
        };
        path: {
          /** Id of the knowledge source. */
          id: string;
          /** Id of the sync. */
          sync_id: string;
        };
        cookie?: never;
      };
      requestBody?: { content: {
        'application/json': Record<string, never>;
      } };
      responses: {
        200: { headers: { [name: string]: unknown }; content: {
          'application/json': components['schemas']['KnowledgeSync'];
        } };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter' | 'malformed_json')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        404: Refused<'not_found'>;
        409: Refused<('idempotency_in_progress' | 'sync_finished')>;
        413: Refused<'body_too_large'>;
        415: Refused<'unsupported_media_type'>;
        422: Refused<('invalid_body' | 'idempotency_key_reused')>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
  }>;
  '/v1/knowledge/search': Only<{
    /** Search knowledge, best passages first */
    get: {
      parameters: {
        query: {
          /** Question, as a user would ask it. */
          q: string;
          agent_id?: string;
          /** Maximum number of passages. */
          limit?: number;
        };
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: { headers: { [name: string]: unknown }; content: {
          'application/json': {
            data: components['schemas']['SearchHit'][];
            has_more: boolean;
            /** Value of `cursor` for the next page. Null on the last page. */
            next_cursor: (string | null);
            /** Whether passages were also found by their meaning: in all sources (`used`), in some sources only (`partly`), in none because the provider did not respond in time (`unavailable`), or in none because nothing is embedded (`none`). */
            meaning: ('used' | 'partly' | 'unavailable' | 'none');
          };
        } };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        404: Refused<'not_found'>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
  }>;
  '/v1/knowledge/chunks/{id}': Only<{
    /** Read a passage */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Id of the passage. */
          id: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: { headers: { [name: string]: unknown }; content: {
          'application/json': components['schemas']['KnowledgeChunk'];
        } };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        404: Refused<'not_found'>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
  }>;
  '/v1/knowledge/gaps': Only<{
    /** List knowledge gaps */
    get: {
      parameters: {
        query?: {
          status?: ('open' | 'resolved');
          agent_id?: string;
          conversation_id?: string;
          /** Unix seconds, inclusive. */
          created_after?: number;
          /** Unix seconds, exclusive. */
          created_before?: number;
          /** Time of the last occurrence in Unix seconds, inclusive. */
          asked_after?: number;
          /** Minimum number of occurrences. */
          count_min?: number;
          /** Text that the question contains, in any case. */
          q?: string;
          /** `created`: newest first. `count`: most frequent first. `last_asked_at`: most recently asked first. */
          sort?: ('created' | 'count' | 'last_asked_at');
          /** Maximum number of items in a page. */
          limit?: number;
          /** `next_cursor` of the previous page. */
          cursor?: string;
        };
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: { headers: { [name: string]: unknown }; content: {
          'application/json': {
            data: components['schemas']['KnowledgeGap'][];
            has_more: boolean;
            /** Value of `cursor` for the next page. Null on the last page. */
            next_cursor: (string | null);
          };
        } };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
  }>;
  '/v1/knowledge/gaps/{id}': Only<{
    /** Read a gap */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Id of the knowledge gap. */
          id: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: { headers: { [name: string]: unknown }; content: {
          'application/json': components['schemas']['KnowledgeGapDetail'];
        } };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        404: Refused<'not_found'>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
    /** Change the answer of a resolved gap */
    patch: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Id of the knowledge gap. */
          id: string;
        };
        cookie?: never;
      };
      requestBody: { content: {
        'application/json': {
          /** Text from which the agent answers the question in future. Null withdraws the current answer. */
          answer?: (string | null);
        };
        'application/merge-patch+json': {
          /** Text from which the agent answers the question in future. Null withdraws the current answer. */
          answer?: (string | null);
        };
      } };
      responses: {
        200: { headers: { [name: string]: unknown }; content: {
          'application/json': components['schemas']['KnowledgeGapDetail'];
        } };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter' | 'malformed_json')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        404: Refused<'not_found'>;
        409: Refused<'gap_open'>;
        413: Refused<'body_too_large'>;
        415: Refused<'unsupported_media_type'>;
        422: Refused<'invalid_body'>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
  }>;
  '/v1/knowledge/gaps/{id}/resolve': Only<{
    /** Resolve a gap, with or without an answer */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** Makes a request safe to repeat. For 24 hours, the same request gets the same response, with `Idempotency-Replayed: true`. */
          'Idempotency-Key'?: string;
        };
        path: {
          /** Id of the knowledge gap. */
          id: string;
        };
        cookie?: never;
      };
      requestBody?: { content: {
        'application/json': {
          /** Text from which the agent answers the question in future. If absent, the gap is closed without an answer. */
          answer?: string;
        };
      } };
      responses: {
        200: { headers: { [name: string]: unknown }; content: {
          'application/json': components['schemas']['KnowledgeGapDetail'];
        } };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter' | 'malformed_json')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        404: Refused<'not_found'>;
        409: Refused<('idempotency_in_progress' | 'gap_resolved')>;
        413: Refused<'body_too_large'>;
        415: Refused<'unsupported_media_type'>;
        422: Refused<('invalid_body' | 'idempotency_key_reused')>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
  }>;
  '/v1/knowledge/gaps/{id}/answer': Only<{
    /** Withdraw the answer of a gap */
    delete: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Id of the knowledge gap. */
          id: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        204: { headers: { [name: string]: unknown }; content?: never };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter' | 'malformed_json')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        404: Refused<'not_found'>;
        413: Refused<'body_too_large'>;
        415: Refused<'unsupported_media_type'>;
        422: Refused<'invalid_body'>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
  }>;
  '/v1/knowledge/gaps/{id}/check': Only<{
    /** Check whether a gap has an answer now */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Id of the knowledge gap. */
          id: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: { headers: { [name: string]: unknown }; content: {
          'application/json': components['schemas']['KnowledgeGapCheck'];
        } };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        404: Refused<'not_found'>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
  }>;
  '/v1/model_providers/test': Only<{
    /** Test a model provider before it is created */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** Makes a request safe to repeat. For 24 hours, the same request gets the same response, with `Idempotency-Replayed: true`. */
          'Idempotency-Key'?: string;
        };
        path?: never;
        cookie?: never;
      };
      requestBody: { content: {
        'application/json': {
          /** Name by which agents refer to the provider: a DNS label, unique in the namespace, not `default`. Must be a DNS label: at most 63 lower-case letters, digits and hyphens, without a hyphen at either end. */
          name?: string;
          /** Base URL of an OpenAI-compatible API, such as https://api.example.com/v1. Must be an http or https URL in ASCII, such as https://api.example.com/v1, without user, password, query and fragment. */
          base_url: string;
          /** Secret with the key. It must carry the label parley.dev/allow: "true". If absent, no key is sent. */
          api_key_secret_ref?: {
            /** Name of the Secret, in the same namespace. Must be a DNS name: lower-case letters, digits, hyphens and dots, a letter or digit at both ends. */
            name: string;
            /** Key inside the Secret. Must consist of letters, digits, dots, hyphens and underscores. */
            key: string;
          };
          /** Header for the key: `authorization` (the default, as a bearer token), `api-key` (Azure) or `x-api-key`. */
          api_key_header?: ('authorization' | 'api-key' | 'x-api-key');
          /** Value of the header OpenAI-Organization, for providers that support it. Must be visible ASCII without spaces. */
          organization?: string;
          /** Value of the header OpenAI-Project, for providers that support it. Must be visible ASCII without spaces. */
          project?: string;
          /** Extra headers of each request, stored and shown in clear text. Do not put secrets here. */
          headers?: { [name: string]: string };
          /** Query parameters of each request, in clear text, such as api-version of Azure. */
          query?: { [name: string]: string };
          /** Chat models: which models agents may use, timeouts and prices. */
          chat?: {
            /** Default model of agents, as the provider names it. */
            default_model?: string;
            /** Models that agents may use. If absent, agents may use every model. */
            models?: string[];
            /** Timeouts of a response. */
            timeouts?: {
              /** Maximum wait for the first part of a response, in milliseconds. Default: 15000. */
              first_token_ms?: number;
              /** Maximum wait between two parts of a response, in milliseconds. Default: 15000. */
              between_tokens_ms?: number;
              /** Maximum duration of a response, in milliseconds. Default: 120000. */
              total_ms?: number;
            };
            /** Price of tokens for all chat models of the provider. It determines the cost of a turn. */
            pricing?: {
              /** ISO 4217 code, such as USD. Must be a currency code of three capital letters, such as USD. */
              currency: string;
              /** Price of a million input tokens. */
              input_per_million_tokens: number;
              /** Price of a million output tokens. */
              output_per_million_tokens: number;
              /** Price of a million input tokens that the provider had cached. Defaults to the price of input tokens. */
              cached_input_per_million_tokens?: number;
            };
          };
          /** Embedding models, with which searches also find knowledge by its meaning. */
          embeddings?: {
            /** Default embedding model of knowledge sources. */
            default_model: string;
            /** Number of dimensions to request, for models that support it. Defaults to the model's own number. */
            dimensions?: number;
            /** Maximum number of texts in one request. Default: 64. */
            batch_size?: number;
          };
          /** Speech models (TTS), through /audio/speech. */
          speech?: {
            /** Default speech model of agents. */
            default_model: string;
            /** Default voice of agents, as the provider names it. */
            default_voice: string;
            /** Speech models that agents may use. If absent, agents may use every model. */
            models?: string[];
          };
          /** Transcription models (STT), through /audio/transcriptions. */
          transcription?: {
            /** Default transcription model of agents. */
            default_model: string;
            /** Transcription models that agents may use. If absent, agents may use every model. */
            models?: string[];
          };
          /** Limits of requests to the provider. */
          limits?: {
            /** Maximum number of concurrent requests of each API process. Unlimited if absent. */
            max_concurrent_requests?: number;
          };
          /** Your own key-value pairs. Parley stores and returns them, and does not interpret them. */
          metadata?: { [name: string]: string };
          /** Key of the provider, which no response shows. Parley stores it in a Secret of its own and sets `api_key_secret_ref`. It replaces an earlier key. Must be visible ASCII without spaces. */
          api_key?: string;
        };
      } };
      responses: {
        200: { headers: { [name: string]: unknown }; content: {
          'application/json': components['schemas']['ModelProviderTest'];
        } };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter' | 'malformed_json')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        409: Refused<'idempotency_in_progress'>;
        413: Refused<'body_too_large'>;
        415: Refused<'unsupported_media_type'>;
        422: Refused<('invalid_body' | 'idempotency_key_reused')>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
  }>;
  '/v1/model_providers/{id}/test': Only<{
    /** Test a model provider */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** Makes a request safe to repeat. For 24 hours, the same request gets the same response, with `Idempotency-Replayed: true`. */
          'Idempotency-Key'?: string;
        };
        path: {
          /** Id of the model provider. */
          id: string;
        };
        cookie?: never;
      };
      requestBody?: { content: {
        'application/json': {
          /** Base URL of an OpenAI-compatible API, such as https://api.example.com/v1. Must be an http or https URL in ASCII, such as https://api.example.com/v1, without user, password, query and fragment. */
          base_url?: (string | null);
          /** Secret with the key. It must carry the label parley.dev/allow: "true". If absent, no key is sent. */
          api_key_secret_ref?: ({
            /** Name of the Secret, in the same namespace. Must be a DNS name: lower-case letters, digits, hyphens and dots, a letter or digit at both ends. */
            name?: (string | null);
            /** Key inside the Secret. Must consist of letters, digits, dots, hyphens and underscores. */
            key?: (string | null);
          } | null);
          /** Header for the key: `authorization` (the default, as a bearer token), `api-key` (Azure) or `x-api-key`. */
          api_key_header?: ('authorization' | 'api-key' | 'x-api-key' | null);
          /** Value of the header OpenAI-Organization, for providers that support it. Must be visible ASCII without spaces. */
          organization?: (string | null);
          /** Value of the header OpenAI-Project, for providers that support it. Must be visible ASCII without spaces. */
          project?: (string | null);
          /** Extra headers of each request, stored and shown in clear text. Do not put secrets here. */
          headers?: ({ [name: string]: (string | null) } | null);
          /** Query parameters of each request, in clear text, such as api-version of Azure. */
          query?: ({ [name: string]: (string | null) } | null);
          /** Chat models: which models agents may use, timeouts and prices. */
          chat?: ({
            /** Default model of agents, as the provider names it. */
            default_model?: (string | null);
            /** Models that agents may use. If absent, agents may use every model. */
            models?: (string[] | null);
            /** Timeouts of a response. */
            timeouts?: ({
              /** Maximum wait for the first part of a response, in milliseconds. Default: 15000. */
              first_token_ms?: (number | null);
              /** Maximum wait between two parts of a response, in milliseconds. Default: 15000. */
              between_tokens_ms?: (number | null);
              /** Maximum duration of a response, in milliseconds. Default: 120000. */
              total_ms?: (number | null);
            } | null);
            /** Price of tokens for all chat models of the provider. It determines the cost of a turn. */
            pricing?: ({
              /** ISO 4217 code, such as USD. Must be a currency code of three capital letters, such as USD. */
              currency?: (string | null);
              /** Price of a million input tokens. */
              input_per_million_tokens?: (number | null);
              /** Price of a million output tokens. */
              output_per_million_tokens?: (number | null);
              /** Price of a million input tokens that the provider had cached. Defaults to the price of input tokens. */
              cached_input_per_million_tokens?: (number | null);
            } | null);
          } | null);
          /** Embedding models, with which searches also find knowledge by its meaning. */
          embeddings?: ({
            /** Default embedding model of knowledge sources. */
            default_model?: (string | null);
            /** Number of dimensions to request, for models that support it. Defaults to the model's own number. */
            dimensions?: (number | null);
            /** Maximum number of texts in one request. Default: 64. */
            batch_size?: (number | null);
          } | null);
          /** Speech models (TTS), through /audio/speech. */
          speech?: ({
            /** Default speech model of agents. */
            default_model?: (string | null);
            /** Default voice of agents, as the provider names it. */
            default_voice?: (string | null);
            /** Speech models that agents may use. If absent, agents may use every model. */
            models?: (string[] | null);
          } | null);
          /** Transcription models (STT), through /audio/transcriptions. */
          transcription?: ({
            /** Default transcription model of agents. */
            default_model?: (string | null);
            /** Transcription models that agents may use. If absent, agents may use every model. */
            models?: (string[] | null);
          } | null);
          /** Limits of requests to the provider. */
          limits?: ({
            /** Maximum number of concurrent requests of each API process. Unlimited if absent. */
            max_concurrent_requests?: (number | null);
          } | null);
          /** Your own key-value pairs. Parley stores and returns them, and does not interpret them. */
          metadata?: ({ [name: string]: (string | null) } | null);
          /** Key of the provider, which no response shows. Parley stores it in a Secret of its own and sets `api_key_secret_ref`. It replaces an earlier key. Must be visible ASCII without spaces. */
          api_key?: (string | null);
          name?: unknown;
        };
      } };
      responses: {
        200: { headers: { [name: string]: unknown }; content: {
          'application/json': components['schemas']['ModelProviderTest'];
        } };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter' | 'malformed_json')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        404: Refused<'not_found'>;
        409: Refused<'idempotency_in_progress'>;
        413: Refused<'body_too_large'>;
        415: Refused<'unsupported_media_type'>;
        422: Refused<('invalid_body' | 'idempotency_key_reused')>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
  }>;
  '/v1/model_providers': Only<{
    /** List model providers, newest first */
    get: {
      parameters: {
        query?: {
          name?: string;
          managed_by?: ('api' | 'kubernetes' | 'file');
          ready?: boolean;
          /** Maximum number of items in a page. */
          limit?: number;
          /** `next_cursor` of the previous page. */
          cursor?: string;
        };
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: { headers: { [name: string]: unknown }; content: {
          'application/json': {
            data: components['schemas']['ModelProvider'][];
            has_more: boolean;
            /** Value of `cursor` for the next page. Null on the last page. */
            next_cursor: (string | null);
          };
        } };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
    /** Create a model provider */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** Makes a request safe to repeat. For 24 hours, the same request gets the same response, with `Idempotency-Replayed: true`. */
          'Idempotency-Key'?: string;
        };
        path?: never;
        cookie?: never;
      };
      requestBody: { content: {
        'application/json': {
          /** Name by which agents refer to the provider: a DNS label, unique in the namespace, not `default`. Must be a DNS label: at most 63 lower-case letters, digits and hyphens, without a hyphen at either end. */
          name?: string;
          /** Base URL of an OpenAI-compatible API, such as https://api.example.com/v1. Must be an http or https URL in ASCII, such as https://api.example.com/v1, without user, password, query and fragment. */
          base_url: string;
          /** Secret with the key. It must carry the label parley.dev/allow: "true". If absent, no key is sent. */
          api_key_secret_ref?: {
            /** Name of the Secret, in the same namespace. Must be a DNS name: lower-case letters, digits, hyphens and dots, a letter or digit at both ends. */
            name: string;
            /** Key inside the Secret. Must consist of letters, digits, dots, hyphens and underscores. */
            key: string;
          };
          /** Header for the key: `authorization` (the default, as a bearer token), `api-key` (Azure) or `x-api-key`. */
          api_key_header?: ('authorization' | 'api-key' | 'x-api-key');
          /** Value of the header OpenAI-Organization, for providers that support it. Must be visible ASCII without spaces. */
          organization?: string;
          /** Value of the header OpenAI-Project, for providers that support it. Must be visible ASCII without spaces. */
          project?: string;
          /** Extra headers of each request, stored and shown in clear text. Do not put secrets here. */
          headers?: { [name: string]: string };
          /** Query parameters of each request, in clear text, such as api-version of Azure. */
          query?: { [name: string]: string };
          /** Chat models: which models agents may use, timeouts and prices. */
          chat?: {
            /** Default model of agents, as the provider names it. */
            default_model?: string;
            /** Models that agents may use. If absent, agents may use every model. */
            models?: string[];
            /** Timeouts of a response. */
            timeouts?: {
              /** Maximum wait for the first part of a response, in milliseconds. Default: 15000. */
              first_token_ms?: number;
              /** Maximum wait between two parts of a response, in milliseconds. Default: 15000. */
              between_tokens_ms?: number;
              /** Maximum duration of a response, in milliseconds. Default: 120000. */
              total_ms?: number;
            };
            /** Price of tokens for all chat models of the provider. It determines the cost of a turn. */
            pricing?: {
              /** ISO 4217 code, such as USD. Must be a currency code of three capital letters, such as USD. */
              currency: string;
              /** Price of a million input tokens. */
              input_per_million_tokens: number;
              /** Price of a million output tokens. */
              output_per_million_tokens: number;
              /** Price of a million input tokens that the provider had cached. Defaults to the price of input tokens. */
              cached_input_per_million_tokens?: number;
            };
          };
          /** Embedding models, with which searches also find knowledge by its meaning. */
          embeddings?: {
            /** Default embedding model of knowledge sources. */
            default_model: string;
            /** Number of dimensions to request, for models that support it. Defaults to the model's own number. */
            dimensions?: number;
            /** Maximum number of texts in one request. Default: 64. */
            batch_size?: number;
          };
          /** Speech models (TTS), through /audio/speech. */
          speech?: {
            /** Default speech model of agents. */
            default_model: string;
            /** Default voice of agents, as the provider names it. */
            default_voice: string;
            /** Speech models that agents may use. If absent, agents may use every model. */
            models?: string[];
          };
          /** Transcription models (STT), through /audio/transcriptions. */
          transcription?: {
            /** Default transcription model of agents. */
            default_model: string;
            /** Transcription models that agents may use. If absent, agents may use every model. */
            models?: string[];
          };
          /** Limits of requests to the provider. */
          limits?: {
            /** Maximum number of concurrent requests of each API process. Unlimited if absent. */
            max_concurrent_requests?: number;
          };
          /** Your own key-value pairs. Parley stores and returns them, and does not interpret them. */
          metadata?: { [name: string]: string };
          /** Key of the provider, which no response shows. Parley stores it in a Secret of its own and sets `api_key_secret_ref`. It replaces an earlier key. Must be visible ASCII without spaces. */
          api_key?: string;
        };
      } };
      responses: {
        201: { headers: { [name: string]: unknown }; content: {
          'application/json': components['schemas']['ModelProvider'];
        } };
        202: { headers: { [name: string]: unknown }; content: {
          'application/json': components['schemas']['ModelProvider'];
        } };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter' | 'malformed_json')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        409: Refused<('idempotency_in_progress' | 'name_taken' | 'quota_exceeded')>;
        413: Refused<'body_too_large'>;
        415: Refused<'unsupported_media_type'>;
        422: Refused<('invalid_body' | 'idempotency_key_reused')>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
  }>;
  '/v1/model_providers/{id}': Only<{
    /** Read a model provider */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Id of the model provider. */
          id: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: { headers: { [name: string]: unknown }; content: {
          'application/json': components['schemas']['ModelProvider'];
        } };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        404: Refused<'not_found'>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
    /** Change a model provider */
    patch: {
      parameters: {
        query?: never;
        header?: {
          /** An `ETag` from an earlier response, or `*`. If the resource was changed since, the request is rejected with 412. */
          'If-Match'?: string;
        };
        path: {
          /** Id of the model provider. */
          id: string;
        };
        cookie?: never;
      };
      requestBody: { content: {
        'application/json': {
          /** Base URL of an OpenAI-compatible API, such as https://api.example.com/v1. Must be an http or https URL in ASCII, such as https://api.example.com/v1, without user, password, query and fragment. */
          base_url?: (string | null);
          /** Secret with the key. It must carry the label parley.dev/allow: "true". If absent, no key is sent. */
          api_key_secret_ref?: ({
            /** Name of the Secret, in the same namespace. Must be a DNS name: lower-case letters, digits, hyphens and dots, a letter or digit at both ends. */
            name?: (string | null);
            /** Key inside the Secret. Must consist of letters, digits, dots, hyphens and underscores. */
            key?: (string | null);
          } | null);
          /** Header for the key: `authorization` (the default, as a bearer token), `api-key` (Azure) or `x-api-key`. */
          api_key_header?: ('authorization' | 'api-key' | 'x-api-key' | null);
          /** Value of the header OpenAI-Organization, for providers that support it. Must be visible ASCII without spaces. */
          organization?: (string | null);
          /** Value of the header OpenAI-Project, for providers that support it. Must be visible ASCII without spaces. */
          project?: (string | null);
          /** Extra headers of each request, stored and shown in clear text. Do not put secrets here. */
          headers?: ({ [name: string]: (string | null) } | null);
          /** Query parameters of each request, in clear text, such as api-version of Azure. */
          query?: ({ [name: string]: (string | null) } | null);
          /** Chat models: which models agents may use, timeouts and prices. */
          chat?: ({
            /** Default model of agents, as the provider names it. */
            default_model?: (string | null);
            /** Models that agents may use. If absent, agents may use every model. */
            models?: (string[] | null);
            /** Timeouts of a response. */
            timeouts?: ({
              /** Maximum wait for the first part of a response, in milliseconds. Default: 15000. */
              first_token_ms?: (number | null);
              /** Maximum wait between two parts of a response, in milliseconds. Default: 15000. */
              between_tokens_ms?: (number | null);
              /** Maximum duration of a response, in milliseconds. Default: 120000. */
              total_ms?: (number | null);
            } | null);
            /** Price of tokens for all chat models of the provider. It determines the cost of a turn. */
            pricing?: ({
              /** ISO 4217 code, such as USD. Must be a currency code of three capital letters, such as USD. */
              currency?: (string | null);
              /** Price of a million input tokens. */
              input_per_million_tokens?: (number | null);
              /** Price of a million output tokens. */
              output_per_million_tokens?: (number | null);
              /** Price of a million input tokens that the provider had cached. Defaults to the price of input tokens. */
              cached_input_per_million_tokens?: (number | null);
            } | null);
          } | null);
          /** Embedding models, with which searches also find knowledge by its meaning. */
          embeddings?: ({
            /** Default embedding model of knowledge sources. */
            default_model?: (string | null);
            /** Number of dimensions to request, for models that support it. Defaults to the model's own number. */
            dimensions?: (number | null);
            /** Maximum number of texts in one request. Default: 64. */
            batch_size?: (number | null);
          } | null);
          /** Speech models (TTS), through /audio/speech. */
          speech?: ({
            /** Default speech model of agents. */
            default_model?: (string | null);
            /** Default voice of agents, as the provider names it. */
            default_voice?: (string | null);
            /** Speech models that agents may use. If absent, agents may use every model. */
            models?: (string[] | null);
          } | null);
          /** Transcription models (STT), through /audio/transcriptions. */
          transcription?: ({
            /** Default transcription model of agents. */
            default_model?: (string | null);
            /** Transcription models that agents may use. If absent, agents may use every model. */
            models?: (string[] | null);
          } | null);
          /** Limits of requests to the provider. */
          limits?: ({
            /** Maximum number of concurrent requests of each API process. Unlimited if absent. */
            max_concurrent_requests?: (number | null);
          } | null);
          /** Your own key-value pairs. Parley stores and returns them, and does not interpret them. */
          metadata?: ({ [name: string]: (string | null) } | null);
          /** Key of the provider, which no response shows. Parley stores it in a Secret of its own and sets `api_key_secret_ref`. It replaces an earlier key. Must be visible ASCII without spaces. */
          api_key?: (string | null);
          name?: unknown;
        };
        'application/merge-patch+json': {
          /** Base URL of an OpenAI-compatible API, such as https://api.example.com/v1. Must be an http or https URL in ASCII, such as https://api.example.com/v1, without user, password, query and fragment. */
          base_url?: (string | null);
          /** Secret with the key. It must carry the label parley.dev/allow: "true". If absent, no key is sent. */
          api_key_secret_ref?: ({
            /** Name of the Secret, in the same namespace. Must be a DNS name: lower-case letters, digits, hyphens and dots, a letter or digit at both ends. */
            name?: (string | null);
            /** Key inside the Secret. Must consist of letters, digits, dots, hyphens and underscores. */
            key?: (string | null);
          } | null);
          /** Header for the key: `authorization` (the default, as a bearer token), `api-key` (Azure) or `x-api-key`. */
          api_key_header?: ('authorization' | 'api-key' | 'x-api-key' | null);
          /** Value of the header OpenAI-Organization, for providers that support it. Must be visible ASCII without spaces. */
          organization?: (string | null);
          /** Value of the header OpenAI-Project, for providers that support it. Must be visible ASCII without spaces. */
          project?: (string | null);
          /** Extra headers of each request, stored and shown in clear text. Do not put secrets here. */
          headers?: ({ [name: string]: (string | null) } | null);
          /** Query parameters of each request, in clear text, such as api-version of Azure. */
          query?: ({ [name: string]: (string | null) } | null);
          /** Chat models: which models agents may use, timeouts and prices. */
          chat?: ({
            /** Default model of agents, as the provider names it. */
            default_model?: (string | null);
            /** Models that agents may use. If absent, agents may use every model. */
            models?: (string[] | null);
            /** Timeouts of a response. */
            timeouts?: ({
              /** Maximum wait for the first part of a response, in milliseconds. Default: 15000. */
              first_token_ms?: (number | null);
              /** Maximum wait between two parts of a response, in milliseconds. Default: 15000. */
              between_tokens_ms?: (number | null);
              /** Maximum duration of a response, in milliseconds. Default: 120000. */
              total_ms?: (number | null);
            } | null);
            /** Price of tokens for all chat models of the provider. It determines the cost of a turn. */
            pricing?: ({
              /** ISO 4217 code, such as USD. Must be a currency code of three capital letters, such as USD. */
              currency?: (string | null);
              /** Price of a million input tokens. */
              input_per_million_tokens?: (number | null);
              /** Price of a million output tokens. */
              output_per_million_tokens?: (number | null);
              /** Price of a million input tokens that the provider had cached. Defaults to the price of input tokens. */
              cached_input_per_million_tokens?: (number | null);
            } | null);
          } | null);
          /** Embedding models, with which searches also find knowledge by its meaning. */
          embeddings?: ({
            /** Default embedding model of knowledge sources. */
            default_model?: (string | null);
            /** Number of dimensions to request, for models that support it. Defaults to the model's own number. */
            dimensions?: (number | null);
            /** Maximum number of texts in one request. Default: 64. */
            batch_size?: (number | null);
          } | null);
          /** Speech models (TTS), through /audio/speech. */
          speech?: ({
            /** Default speech model of agents. */
            default_model?: (string | null);
            /** Default voice of agents, as the provider names it. */
            default_voice?: (string | null);
            /** Speech models that agents may use. If absent, agents may use every model. */
            models?: (string[] | null);
          } | null);
          /** Transcription models (STT), through /audio/transcriptions. */
          transcription?: ({
            /** Default transcription model of agents. */
            default_model?: (string | null);
            /** Transcription models that agents may use. If absent, agents may use every model. */
            models?: (string[] | null);
          } | null);
          /** Limits of requests to the provider. */
          limits?: ({
            /** Maximum number of concurrent requests of each API process. Unlimited if absent. */
            max_concurrent_requests?: (number | null);
          } | null);
          /** Your own key-value pairs. Parley stores and returns them, and does not interpret them. */
          metadata?: ({ [name: string]: (string | null) } | null);
          /** Key of the provider, which no response shows. Parley stores it in a Secret of its own and sets `api_key_secret_ref`. It replaces an earlier key. Must be visible ASCII without spaces. */
          api_key?: (string | null);
          name?: unknown;
        };
      } };
      responses: {
        200: { headers: { [name: string]: unknown }; content: {
          'application/json': components['schemas']['ModelProvider'];
        } };
        202: { headers: { [name: string]: unknown }; content: {
          'application/json': components['schemas']['ModelProvider'];
        } };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter' | 'malformed_json')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        404: Refused<'not_found'>;
        409: Refused<('managed_elsewhere' | 'write_conflict')>;
        412: Refused<'precondition_failed'>;
        413: Refused<'body_too_large'>;
        415: Refused<'unsupported_media_type'>;
        422: Refused<'invalid_body'>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
    /** Delete a model provider */
    delete: {
      parameters: {
        query?: never;
        header?: {
          /** An `ETag` from an earlier response, or `*`. If the resource was changed since, the request is rejected with 412. */
          'If-Match'?: string;
        };
        path: {
          /** Id of the model provider. */
          id: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        204: { headers: { [name: string]: unknown }; content?: never };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter' | 'malformed_json')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        404: Refused<'not_found'>;
        409: Refused<('managed_elsewhere' | 'write_conflict')>;
        412: Refused<'precondition_failed'>;
        413: Refused<'body_too_large'>;
        415: Refused<'unsupported_media_type'>;
        422: Refused<'invalid_body'>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
  }>;
  '/v1/telephony_providers': Only<{
    /** List telephony providers, newest first */
    get: {
      parameters: {
        query?: {
          name?: string;
          managed_by?: ('api' | 'kubernetes' | 'file');
          ready?: boolean;
          number?: string;
          /** Maximum number of items in a page. */
          limit?: number;
          /** `next_cursor` of the previous page. */
          cursor?: string;
        };
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: { headers: { [name: string]: unknown }; content: {
          'application/json': {
            data: components['schemas']['TelephonyProvider'][];
            has_more: boolean;
            /** Value of `cursor` for the next page. Null on the last page. */
            next_cursor: (string | null);
          };
        } };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
    /** Create a telephony provider */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** Makes a request safe to repeat. For 24 hours, the same request gets the same response, with `Idempotency-Replayed: true`. */
          'Idempotency-Key'?: string;
        };
        path?: never;
        cookie?: never;
      };
      requestBody: { content: {
        'application/json': {
          /** Name by which calls refer to it: a DNS label, unique in the namespace, not `simulated`. Must be a DNS label: at most 63 lower-case letters, digits and hyphens, without a hyphen at either end. */
          name?: string;
          /** The carrier's API; twilio also fits carriers with a compatible API. */
          type: ('twilio' | 'telnyx' | 'plivo');
          /** Id of the account at the carrier; for Twilio AC…, for Telnyx the id of the user, for Plivo the Auth ID. Must be an account id of letters, digits, hyphens and underscores. */
          account_id: string;
          /** Secret with the token for the carrier's API; for Twilio the auth token, which also signs the carrier's requests, for Telnyx an API key, for Plivo the Auth Token, which also signs its requests. It must carry the label parley.dev/allow: "true". */
          auth_token_secret_ref?: {
            /** Name of the Secret, in the same namespace. Must be a DNS name: lower-case letters, digits, hyphens and dots, a letter or digit at both ends. */
            name: string;
            /** Key inside the Secret. Must consist of letters, digits, dots, hyphens and underscores. */
            key: string;
          };
          /** For type telnyx: the account's public key, which verifies the carrier's requests. Must be the account's public key as the carrier shows it: 44 characters, the base64 of 32 bytes. */
          public_key?: string;
          /** For type telnyx: the id of the TeXML application that places calls. Must be an account id of letters, digits, hyphens and underscores. */
          application_id?: string;
          /** Base URL of the carrier's API; default: https://api.twilio.com or https://api.telnyx.com or https://api.plivo.com. Must be an http or https URL in ASCII, such as https://api.example.com/v1, without user, password, query and fragment. */
          api_url?: string;
          /** Numbers of the account and the agents that answer them. Within a namespace, a number belongs to one provider only. */
          numbers?: {
            /** Telephone number in E.164, such as +442071838750. Must be a phone number such as +442071838750: a plus sign and 7 to 15 digits. */
            number: string;
            /** Agent of the same namespace that answers it. Must be a DNS label: at most 63 lower-case letters, digits and hyphens, without a hyphen at either end. */
            agent: string;
            /** Version of that agent; default: the version that is live when a call comes in. */
            version?: number;
            /** Hours in which the number is answered. Default: always. Outside these hours, the caller hears their closedMessage, or else the closedMessage of inbound. */
            hours?: {
              /** IANA name of the time zone, such as Europe/Berlin. Must be an IANA time zone name, such as Europe/Berlin. */
              time_zone: string;
              /** Periods in which people are available, on each of the listed days. */
              open: {
                /** Days of the week. */
                days: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[];
                /** Start of the period, such as 09:00. Must be a time from 00:00 to 24:00, such as 09:30. */
                from: string;
                /** End of the period, exclusive, such as 17:30. 24:00 is the end of the day. Must be a time from 00:00 to 24:00, such as 09:30. */
                to: string;
              }[];
              /** Dates on which nobody is available. */
              closed_on?: string[];
              /** Text for the user when nobody is available. {{opens}} is replaced by the time at which somebody is available again. */
              closed_message?: string;
            };
          }[];
          /** Countries and number of calls it may place; default: it places none. */
          outbound?: {
            /** ISO 3166-1 codes of the countries whose numbers may be called. */
            countries: string[];
            /** Maximum number of concurrent outbound calls; default 10. */
            max_concurrent_calls?: number;
            /** Maximum number of calls placed per minute; default 60. */
            max_calls_per_minute?: number;
            /** Seconds to ring before the call counts as not answered; default 30. */
            ring_sec?: number;
            /** Text spoken to a voicemail that answers; default: none. */
            voicemail_message?: string;
          };
          /** Limit of inbound calls, and the texts for callers whom no agent can answer. */
          inbound?: {
            /** Maximum number of concurrent inbound calls; default 100. */
            max_concurrent_calls?: number;
            /** Text spoken to callers while maxConcurrentCalls is reached; default: they hear the busy tone. */
            busy_message?: string;
            /** Text spoken to a caller if no agent can answer. */
            closed_message?: string;
          };
          /** Your own key-value pairs. Parley stores and returns them, and does not interpret them. */
          metadata?: { [name: string]: string };
          /** Token for the carrier's API, which no response shows. Parley stores it in a Secret of its own and sets `auth_token_secret_ref`. It replaces an earlier token. Must be visible ASCII without spaces. */
          auth_token?: string;
        };
      } };
      responses: {
        201: { headers: { [name: string]: unknown }; content: {
          'application/json': components['schemas']['TelephonyProvider'];
        } };
        202: { headers: { [name: string]: unknown }; content: {
          'application/json': components['schemas']['TelephonyProvider'];
        } };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter' | 'malformed_json')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        409: Refused<('idempotency_in_progress' | 'name_taken' | 'quota_exceeded')>;
        413: Refused<'body_too_large'>;
        415: Refused<'unsupported_media_type'>;
        422: Refused<('invalid_body' | 'idempotency_key_reused')>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
  }>;
  '/v1/telephony_providers/{id}': Only<{
    /** Read a telephony provider */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Id of the telephony provider. */
          id: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: { headers: { [name: string]: unknown }; content: {
          'application/json': components['schemas']['TelephonyProvider'];
        } };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        404: Refused<'not_found'>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
    /** Change a telephony provider */
    patch: {
      parameters: {
        query?: never;
        header?: {
          /** An `ETag` from an earlier response, or `*`. If the resource was changed since, the request is rejected with 412. */
          'If-Match'?: string;
        };
        path: {
          /** Id of the telephony provider. */
          id: string;
        };
        cookie?: never;
      };
      requestBody: { content: {
        'application/json': {
          /** The carrier's API; twilio also fits carriers with a compatible API. */
          type?: ('twilio' | 'telnyx' | 'plivo' | null);
          /** Id of the account at the carrier; for Twilio AC…, for Telnyx the id of the user, for Plivo the Auth ID. Must be an account id of letters, digits, hyphens and underscores. */
          account_id?: (string | null);
          /** Secret with the token for the carrier's API; for Twilio the auth token, which also signs the carrier's requests, for Telnyx an API key, for Plivo the Auth Token, which also signs its requests. It must carry the label parley.dev/allow: "true". */
          auth_token_secret_ref?: ({
            /** Name of the Secret, in the same namespace. Must be a DNS name: lower-case letters, digits, hyphens and dots, a letter or digit at both ends. */
            name?: (string | null);
            /** Key inside the Secret. Must consist of letters, digits, dots, hyphens and underscores. */
            key?: (string | null);
          } | null);
          /** For type telnyx: the account's public key, which verifies the carrier's requests. Must be the account's public key as the carrier shows it: 44 characters, the base64 of 32 bytes. */
          public_key?: (string | null);
          /** For type telnyx: the id of the TeXML application that places calls. Must be an account id of letters, digits, hyphens and underscores. */
          application_id?: (string | null);
          /** Base URL of the carrier's API; default: https://api.twilio.com or https://api.telnyx.com or https://api.plivo.com. Must be an http or https URL in ASCII, such as https://api.example.com/v1, without user, password, query and fragment. */
          api_url?: (string | null);
          /** Numbers of the account and the agents that answer them. Within a namespace, a number belongs to one provider only. */
          numbers?: ({
            /** Telephone number in E.164, such as +442071838750. Must be a phone number such as +442071838750: a plus sign and 7 to 15 digits. */
            number: string;
            /** Agent of the same namespace that answers it. Must be a DNS label: at most 63 lower-case letters, digits and hyphens, without a hyphen at either end. */
            agent: string;
            /** Version of that agent; default: the version that is live when a call comes in. */
            version?: number;
            /** Hours in which the number is answered. Default: always. Outside these hours, the caller hears their closedMessage, or else the closedMessage of inbound. */
            hours?: {
              /** IANA name of the time zone, such as Europe/Berlin. Must be an IANA time zone name, such as Europe/Berlin. */
              time_zone: string;
              /** Periods in which people are available, on each of the listed days. */
              open: {
                /** Days of the week. */
                days: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[];
                /** Start of the period, such as 09:00. Must be a time from 00:00 to 24:00, such as 09:30. */
                from: string;
                /** End of the period, exclusive, such as 17:30. 24:00 is the end of the day. Must be a time from 00:00 to 24:00, such as 09:30. */
                to: string;
              }[];
              /** Dates on which nobody is available. */
              closed_on?: string[];
              /** Text for the user when nobody is available. {{opens}} is replaced by the time at which somebody is available again. */
              closed_message?: string;
            };
          }[] | null);
          /** Countries and number of calls it may place; default: it places none. */
          outbound?: ({
            /** ISO 3166-1 codes of the countries whose numbers may be called. */
            countries?: (string[] | null);
            /** Maximum number of concurrent outbound calls; default 10. */
            max_concurrent_calls?: (number | null);
            /** Maximum number of calls placed per minute; default 60. */
            max_calls_per_minute?: (number | null);
            /** Seconds to ring before the call counts as not answered; default 30. */
            ring_sec?: (number | null);
            /** Text spoken to a voicemail that answers; default: none. */
            voicemail_message?: (string | null);
          } | null);
          /** Limit of inbound calls, and the texts for callers whom no agent can answer. */
          inbound?: ({
            /** Maximum number of concurrent inbound calls; default 100. */
            max_concurrent_calls?: (number | null);
            /** Text spoken to callers while maxConcurrentCalls is reached; default: they hear the busy tone. */
            busy_message?: (string | null);
            /** Text spoken to a caller if no agent can answer. */
            closed_message?: (string | null);
          } | null);
          /** Your own key-value pairs. Parley stores and returns them, and does not interpret them. */
          metadata?: ({ [name: string]: (string | null) } | null);
          /** Token for the carrier's API, which no response shows. Parley stores it in a Secret of its own and sets `auth_token_secret_ref`. It replaces an earlier token. Must be visible ASCII without spaces. */
          auth_token?: (string | null);
          name?: unknown;
        };
        'application/merge-patch+json': {
          /** The carrier's API; twilio also fits carriers with a compatible API. */
          type?: ('twilio' | 'telnyx' | 'plivo' | null);
          /** Id of the account at the carrier; for Twilio AC…, for Telnyx the id of the user, for Plivo the Auth ID. Must be an account id of letters, digits, hyphens and underscores. */
          account_id?: (string | null);
          /** Secret with the token for the carrier's API; for Twilio the auth token, which also signs the carrier's requests, for Telnyx an API key, for Plivo the Auth Token, which also signs its requests. It must carry the label parley.dev/allow: "true". */
          auth_token_secret_ref?: ({
            /** Name of the Secret, in the same namespace. Must be a DNS name: lower-case letters, digits, hyphens and dots, a letter or digit at both ends. */
            name?: (string | null);
            /** Key inside the Secret. Must consist of letters, digits, dots, hyphens and underscores. */
            key?: (string | null);
          } | null);
          /** For type telnyx: the account's public key, which verifies the carrier's requests. Must be the account's public key as the carrier shows it: 44 characters, the base64 of 32 bytes. */
          public_key?: (string | null);
          /** For type telnyx: the id of the TeXML application that places calls. Must be an account id of letters, digits, hyphens and underscores. */
          application_id?: (string | null);
          /** Base URL of the carrier's API; default: https://api.twilio.com or https://api.telnyx.com or https://api.plivo.com. Must be an http or https URL in ASCII, such as https://api.example.com/v1, without user, password, query and fragment. */
          api_url?: (string | null);
          /** Numbers of the account and the agents that answer them. Within a namespace, a number belongs to one provider only. */
          numbers?: ({
            /** Telephone number in E.164, such as +442071838750. Must be a phone number such as +442071838750: a plus sign and 7 to 15 digits. */
            number: string;
            /** Agent of the same namespace that answers it. Must be a DNS label: at most 63 lower-case letters, digits and hyphens, without a hyphen at either end. */
            agent: string;
            /** Version of that agent; default: the version that is live when a call comes in. */
            version?: number;
            /** Hours in which the number is answered. Default: always. Outside these hours, the caller hears their closedMessage, or else the closedMessage of inbound. */
            hours?: {
              /** IANA name of the time zone, such as Europe/Berlin. Must be an IANA time zone name, such as Europe/Berlin. */
              time_zone: string;
              /** Periods in which people are available, on each of the listed days. */
              open: {
                /** Days of the week. */
                days: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[];
                /** Start of the period, such as 09:00. Must be a time from 00:00 to 24:00, such as 09:30. */
                from: string;
                /** End of the period, exclusive, such as 17:30. 24:00 is the end of the day. Must be a time from 00:00 to 24:00, such as 09:30. */
                to: string;
              }[];
              /** Dates on which nobody is available. */
              closed_on?: string[];
              /** Text for the user when nobody is available. {{opens}} is replaced by the time at which somebody is available again. */
              closed_message?: string;
            };
          }[] | null);
          /** Countries and number of calls it may place; default: it places none. */
          outbound?: ({
            /** ISO 3166-1 codes of the countries whose numbers may be called. */
            countries?: (string[] | null);
            /** Maximum number of concurrent outbound calls; default 10. */
            max_concurrent_calls?: (number | null);
            /** Maximum number of calls placed per minute; default 60. */
            max_calls_per_minute?: (number | null);
            /** Seconds to ring before the call counts as not answered; default 30. */
            ring_sec?: (number | null);
            /** Text spoken to a voicemail that answers; default: none. */
            voicemail_message?: (string | null);
          } | null);
          /** Limit of inbound calls, and the texts for callers whom no agent can answer. */
          inbound?: ({
            /** Maximum number of concurrent inbound calls; default 100. */
            max_concurrent_calls?: (number | null);
            /** Text spoken to callers while maxConcurrentCalls is reached; default: they hear the busy tone. */
            busy_message?: (string | null);
            /** Text spoken to a caller if no agent can answer. */
            closed_message?: (string | null);
          } | null);
          /** Your own key-value pairs. Parley stores and returns them, and does not interpret them. */
          metadata?: ({ [name: string]: (string | null) } | null);
          /** Token for the carrier's API, which no response shows. Parley stores it in a Secret of its own and sets `auth_token_secret_ref`. It replaces an earlier token. Must be visible ASCII without spaces. */
          auth_token?: (string | null);
          name?: unknown;
        };
      } };
      responses: {
        200: { headers: { [name: string]: unknown }; content: {
          'application/json': components['schemas']['TelephonyProvider'];
        } };
        202: { headers: { [name: string]: unknown }; content: {
          'application/json': components['schemas']['TelephonyProvider'];
        } };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter' | 'malformed_json')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        404: Refused<'not_found'>;
        409: Refused<('managed_elsewhere' | 'write_conflict')>;
        412: Refused<'precondition_failed'>;
        413: Refused<'body_too_large'>;
        415: Refused<'unsupported_media_type'>;
        422: Refused<'invalid_body'>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
    /** Delete a telephony provider */
    delete: {
      parameters: {
        query?: never;
        header?: {
          /** An `ETag` from an earlier response, or `*`. If the resource was changed since, the request is rejected with 412. */
          'If-Match'?: string;
        };
        path: {
          /** Id of the telephony provider. */
          id: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        204: { headers: { [name: string]: unknown }; content?: never };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter' | 'malformed_json')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        404: Refused<'not_found'>;
        409: Refused<('managed_elsewhere' | 'write_conflict')>;
        412: Refused<'precondition_failed'>;
        413: Refused<'body_too_large'>;
        415: Refused<'unsupported_media_type'>;
        422: Refused<'invalid_body'>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
  }>;
  '/v1/agents/{id}/talk_tokens': Only<{
    /** Create a token with which a web page talks with the agent */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** Makes a request safe to repeat. For 24 hours, the same request gets the same response, with `Idempotency-Replayed: true`. */
          'Idempotency-Key'?: string;
        };
        path: {
          /** Id of the agent. */
          id: string;
        };
        cookie?: never;
      };
      requestBody?: { content: {
        'application/json': {
          /** Version that talks; default: the live version when a talk starts. A test may use a version that was never live. */
          version?: number;
          /** Marks the talks as tests: they emit no events and count in no statistics. */
          test?: boolean;
          /** Your id of the visitor. */
          user_id?: string;
          /** What the agent may know about the user: at most 64 KiB of JSON. `{{name}}` in the prompt and in the first message is replaced by the value of `name`. */
          variables?: { [name: string]: unknown };
          /** Your own key-value pairs. Parley stores and returns them, and does not interpret them. */
          metadata?: { [name: string]: string };
          /** Origin of the pages that may use the token; default: any. Must be an origin as browsers send it, such as https://shop.example.com or capacitor://localhost: a scheme (http only for localhost and 127.0.0.1), a host, an optional port, no path. */
          origin?: string;
          /** Seconds until the token expires. */
          ttl_sec?: number;
        };
      } };
      responses: {
        201: { headers: { [name: string]: unknown }; content: {
          'application/json': components['schemas']['TalkToken'];
        } };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter' | 'malformed_json')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        404: Refused<'not_found'>;
        409: Refused<('idempotency_in_progress' | 'not_published' | 'version_recalled')>;
        413: Refused<'body_too_large'>;
        415: Refused<'unsupported_media_type'>;
        422: Refused<('invalid_body' | 'idempotency_key_reused' | 'unknown_version')>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
  }>;
  '/v1/widget/tokens': Only<{
    /** Get a token for a visitor of a web page */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody: { content: {
        'application/json': {
          /** The agent that the page talks with. Must be an id like agt_01jdn0wzave008001tbgfjpkbe. */
          agent_id: string;
        };
      } };
      responses: {
        201: { headers: { [name: string]: unknown }; content: {
          'application/json': components['schemas']['TalkToken'];
        } };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter' | 'malformed_json')>;
        403: Refused<'origin_not_allowed'>;
        409: Refused<'not_published'>;
        413: Refused<'body_too_large'>;
        415: Refused<'unsupported_media_type'>;
        422: Refused<'invalid_body'>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
  }>;
  '/v1/api_keys': Only<{
    /** List API keys, newest first */
    get: {
      parameters: {
        query?: {
          /** Maximum number of items in a page. */
          limit?: number;
          /** `next_cursor` of the previous page. */
          cursor?: string;
        };
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: { headers: { [name: string]: unknown }; content: {
          'application/json': {
            data: components['schemas']['ApiKey'][];
            has_more: boolean;
            /** Value of `cursor` for the next page. Null on the last page. */
            next_cursor: (string | null);
          };
        } };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
    /** Create an API key */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** Makes a request safe to repeat. For 24 hours, the same request gets the same response, with `Idempotency-Replayed: true`. */
          'Idempotency-Key'?: string;
        };
        path?: never;
        cookie?: never;
      };
      requestBody: { content: {
        'application/json': {
          /** Name for people: letters, digits and punctuation, separated by single spaces. */
          name: string;
          /** Scopes of the key. */
          scopes: ('read' | 'write' | 'publish' | 'replay' | 'keys')[];
          /** Expiry in Unix seconds, in the future. Default: the key does not expire. */
          expires_at?: number;
        };
      } };
      responses: {
        201: { headers: { [name: string]: unknown }; content: {
          'application/json': components['schemas']['CreatedApiKey'];
        } };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter' | 'malformed_json')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        409: Refused<('idempotency_in_progress' | 'quota_exceeded')>;
        413: Refused<'body_too_large'>;
        415: Refused<'unsupported_media_type'>;
        422: Refused<('invalid_body' | 'idempotency_key_reused')>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
  }>;
  '/v1/api_keys/{id}': Only<{
    /** Read an API key */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Id of the API key. */
          id: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: { headers: { [name: string]: unknown }; content: {
          'application/json': components['schemas']['ApiKey'];
        } };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        404: Refused<'not_found'>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
    /** Delete an API key */
    delete: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Id of the API key. */
          id: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        204: { headers: { [name: string]: unknown }; content?: never };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter' | 'malformed_json')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        404: Refused<'not_found'>;
        409: Refused<'last_key'>;
        413: Refused<'body_too_large'>;
        415: Refused<'unsupported_media_type'>;
        422: Refused<'invalid_body'>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
  }>;
  '/v1/api_keys/{id}/rotate': Only<{
    /** Replace an API key */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** Makes a request safe to repeat. For 24 hours, the same request gets the same response, with `Idempotency-Replayed: true`. */
          'Idempotency-Key'?: string;
        };
        path: {
          /** Id of the API key. */
          id: string;
        };
        cookie?: never;
      };
      requestBody?: { content: {
        'application/json': {
          /** How long the old key keeps working, in seconds. Default: 86400 (one day). */
          overlap_sec?: number;
        };
      } };
      responses: {
        201: { headers: { [name: string]: unknown }; content: {
          'application/json': components['schemas']['CreatedApiKey'];
        } };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter' | 'malformed_json')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        404: Refused<'not_found'>;
        409: Refused<('idempotency_in_progress' | 'rotation_in_progress' | 'quota_exceeded')>;
        413: Refused<'body_too_large'>;
        415: Refused<'unsupported_media_type'>;
        422: Refused<('invalid_body' | 'idempotency_key_reused')>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
  }>;
  '/v1/sessions': Only<{
    /** Sign in: exchange an API key for a session */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody: { content: {
        'application/json': {
          /** API key, `parley_…`. */
          api_key?: string;
          /** Token from the link that `start` prints. It works once. */
          sign_in_token?: string;
          /** Name of the person, for histories. Required with `api_key`; optional with `sign_in_token`, whose link already has a name. */
          name?: string;
        };
      } };
      responses: {
        201: { headers: { [name: string]: unknown }; content: {
          'application/json': components['schemas']['Session'];
        } };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter' | 'malformed_json')>;
        401: Refused<'unauthorized'>;
        403: Refused<('foreign_origin' | 'https_required')>;
        409: Refused<'quota_exceeded'>;
        413: Refused<'body_too_large'>;
        415: Refused<'unsupported_media_type'>;
        422: Refused<'invalid_body'>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
    /** List sessions, newest first */
    get: {
      parameters: {
        query?: {
          /** Maximum number of items in a page. */
          limit?: number;
          /** `next_cursor` of the previous page. */
          cursor?: string;
        };
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: { headers: { [name: string]: unknown }; content: {
          'application/json': {
            data: components['schemas']['Session'][];
            has_more: boolean;
            /** Value of `cursor` for the next page. Null on the last page. */
            next_cursor: (string | null);
          };
        } };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
  }>;
  '/v1/sessions/{id}': Only<{
    /** Read a session */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Id of the session. */
          id: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: { headers: { [name: string]: unknown }; content: {
          'application/json': components['schemas']['Session'];
        } };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        404: Refused<'not_found'>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
    /** Sign out: end a session */
    delete: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Id of the session. */
          id: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        204: { headers: { [name: string]: unknown }; content?: never };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter' | 'malformed_json')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        404: Refused<'not_found'>;
        413: Refused<'body_too_large'>;
        415: Refused<'unsupported_media_type'>;
        422: Refused<'invalid_body'>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
  }>;
  '/v1/me': Only<{
    /** Read the caller and its scopes */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: { headers: { [name: string]: unknown }; content: {
          'application/json': components['schemas']['Me'];
        } };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter')>;
        401: Refused<'unauthorized'>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
  }>;
  '/v1/audit_log': Only<{
    /** List the audit log, newest first */
    get: {
      parameters: {
        query?: {
          action?: string;
          actor?: string;
          target?: string;
          /** Unix seconds, inclusive. */
          created_after?: number;
          /** Unix seconds, exclusive. */
          created_before?: number;
          /** Maximum number of items in a page. */
          limit?: number;
          /** `next_cursor` of the previous page. */
          cursor?: string;
        };
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: { headers: { [name: string]: unknown }; content: {
          'application/json': {
            data: components['schemas']['AuditLine'][];
            has_more: boolean;
            /** Value of `cursor` for the next page. Null on the last page. */
            next_cursor: (string | null);
          };
        } };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
  }>;
  '/v1/usage': Only<{
    /** Read limits and their usage */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: { headers: { [name: string]: unknown }; content: {
          'application/json': components['schemas']['Usage'];
        } };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter')>;
        401: Refused<'unauthorized'>;
        403: Refused<'missing_scope'>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
  }>;
  '/v1/openapi.json': Only<{
    /** Read the OpenAPI 3.1 document */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: { headers: { [name: string]: unknown }; content: {
          'application/json': { [name: string]: unknown };
        } };
        400: Refused<('malformed_request' | 'unknown_parameter' | 'invalid_parameter')>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
  }>;
}

export interface webhooks {
  'conversation.started': { post: {
      parameters: {
        query?: never;
        header: {
          /** Lower-case hex HMAC-SHA256 of the body, keyed with the endpoint's secret. */
          'parley-signature': string;
          /** Signature with the other live secret. Present only during a rotation of the secret. */
          'parley-signature-next'?: string;
          /** `id` of the body. */
          'parley-event-id': string;
          /** `type` of the body. */
          'parley-event-type': string;
          /** Number of the attempt, starting at 1. */
          'parley-delivery-attempt': number;
          /** Present only for test events, which are sent to this endpoint alone. */
          'parley-test'?: 'true';
          /** `id` of the body (Standard Webhooks). */
          'webhook-id': string;
          /** Time of the attempt in Unix seconds. */
          'webhook-timestamp': number;
          /** Signatures with every live secret: `v1,` and base64, separated by spaces (Standard Webhooks). */
          'webhook-signature': string;
        };
        path?: never;
        cookie?: never;
      };
      requestBody?: { content: {
        'application/json': components['schemas']['ConversationStartedEvent'];
      } };
      responses: {
        '2XX': { headers: { [name: string]: unknown }; content?: never };
      };
    } };
  'conversation.ended': { post: {
      parameters: {
        query?: never;
        header: {
          /** Lower-case hex HMAC-SHA256 of the body, keyed with the endpoint's secret. */
          'parley-signature': string;
          /** Signature with the other live secret. Present only during a rotation of the secret. */
          'parley-signature-next'?: string;
          /** `id` of the body. */
          'parley-event-id': string;
          /** `type` of the body. */
          'parley-event-type': string;
          /** Number of the attempt, starting at 1. */
          'parley-delivery-attempt': number;
          /** Present only for test events, which are sent to this endpoint alone. */
          'parley-test'?: 'true';
          /** `id` of the body (Standard Webhooks). */
          'webhook-id': string;
          /** Time of the attempt in Unix seconds. */
          'webhook-timestamp': number;
          /** Signatures with every live secret: `v1,` and base64, separated by spaces (Standard Webhooks). */
          'webhook-signature': string;
        };
        path?: never;
        cookie?: never;
      };
      requestBody?: { content: {
        'application/json': components['schemas']['ConversationEndedEvent'];
      } };
      responses: {
        '2XX': { headers: { [name: string]: unknown }; content?: never };
      };
    } };
  'conversation.transcript.ready': { post: {
      parameters: {
        query?: never;
        header: {
          /** Lower-case hex HMAC-SHA256 of the body, keyed with the endpoint's secret. */
          'parley-signature': string;
          /** Signature with the other live secret. Present only during a rotation of the secret. */
          'parley-signature-next'?: string;
          /** `id` of the body. */
          'parley-event-id': string;
          /** `type` of the body. */
          'parley-event-type': string;
          /** Number of the attempt, starting at 1. */
          'parley-delivery-attempt': number;
          /** Present only for test events, which are sent to this endpoint alone. */
          'parley-test'?: 'true';
          /** `id` of the body (Standard Webhooks). */
          'webhook-id': string;
          /** Time of the attempt in Unix seconds. */
          'webhook-timestamp': number;
          /** Signatures with every live secret: `v1,` and base64, separated by spaces (Standard Webhooks). */
          'webhook-signature': string;
        };
        path?: never;
        cookie?: never;
      };
      requestBody?: { content: {
        'application/json': components['schemas']['ConversationTranscriptReadyEvent'];
      } };
      responses: {
        '2XX': { headers: { [name: string]: unknown }; content?: never };
      };
    } };
  'escalation.requested': { post: {
      parameters: {
        query?: never;
        header: {
          /** Lower-case hex HMAC-SHA256 of the body, keyed with the endpoint's secret. */
          'parley-signature': string;
          /** Signature with the other live secret. Present only during a rotation of the secret. */
          'parley-signature-next'?: string;
          /** `id` of the body. */
          'parley-event-id': string;
          /** `type` of the body. */
          'parley-event-type': string;
          /** Number of the attempt, starting at 1. */
          'parley-delivery-attempt': number;
          /** Present only for test events, which are sent to this endpoint alone. */
          'parley-test'?: 'true';
          /** `id` of the body (Standard Webhooks). */
          'webhook-id': string;
          /** Time of the attempt in Unix seconds. */
          'webhook-timestamp': number;
          /** Signatures with every live secret: `v1,` and base64, separated by spaces (Standard Webhooks). */
          'webhook-signature': string;
        };
        path?: never;
        cookie?: never;
      };
      requestBody?: { content: {
        'application/json': components['schemas']['EscalationRequestedEvent'];
      } };
      responses: {
        '2XX': { headers: { [name: string]: unknown }; content?: never };
      };
    } };
  'escalation.accepted': { post: {
      parameters: {
        query?: never;
        header: {
          /** Lower-case hex HMAC-SHA256 of the body, keyed with the endpoint's secret. */
          'parley-signature': string;
          /** Signature with the other live secret. Present only during a rotation of the secret. */
          'parley-signature-next'?: string;
          /** `id` of the body. */
          'parley-event-id': string;
          /** `type` of the body. */
          'parley-event-type': string;
          /** Number of the attempt, starting at 1. */
          'parley-delivery-attempt': number;
          /** Present only for test events, which are sent to this endpoint alone. */
          'parley-test'?: 'true';
          /** `id` of the body (Standard Webhooks). */
          'webhook-id': string;
          /** Time of the attempt in Unix seconds. */
          'webhook-timestamp': number;
          /** Signatures with every live secret: `v1,` and base64, separated by spaces (Standard Webhooks). */
          'webhook-signature': string;
        };
        path?: never;
        cookie?: never;
      };
      requestBody?: { content: {
        'application/json': components['schemas']['EscalationAcceptedEvent'];
      } };
      responses: {
        '2XX': { headers: { [name: string]: unknown }; content?: never };
      };
    } };
  'knowledge.gap.detected': { post: {
      parameters: {
        query?: never;
        header: {
          /** Lower-case hex HMAC-SHA256 of the body, keyed with the endpoint's secret. */
          'parley-signature': string;
          /** Signature with the other live secret. Present only during a rotation of the secret. */
          'parley-signature-next'?: string;
          /** `id` of the body. */
          'parley-event-id': string;
          /** `type` of the body. */
          'parley-event-type': string;
          /** Number of the attempt, starting at 1. */
          'parley-delivery-attempt': number;
          /** Present only for test events, which are sent to this endpoint alone. */
          'parley-test'?: 'true';
          /** `id` of the body (Standard Webhooks). */
          'webhook-id': string;
          /** Time of the attempt in Unix seconds. */
          'webhook-timestamp': number;
          /** Signatures with every live secret: `v1,` and base64, separated by spaces (Standard Webhooks). */
          'webhook-signature': string;
        };
        path?: never;
        cookie?: never;
      };
      requestBody?: { content: {
        'application/json': components['schemas']['KnowledgeGapDetectedEvent'];
      } };
      responses: {
        '2XX': { headers: { [name: string]: unknown }; content?: never };
      };
    } };
  'knowledge.source.synced': { post: {
      parameters: {
        query?: never;
        header: {
          /** Lower-case hex HMAC-SHA256 of the body, keyed with the endpoint's secret. */
          'parley-signature': string;
          /** Signature with the other live secret. Present only during a rotation of the secret. */
          'parley-signature-next'?: string;
          /** `id` of the body. */
          'parley-event-id': string;
          /** `type` of the body. */
          'parley-event-type': string;
          /** Number of the attempt, starting at 1. */
          'parley-delivery-attempt': number;
          /** Present only for test events, which are sent to this endpoint alone. */
          'parley-test'?: 'true';
          /** `id` of the body (Standard Webhooks). */
          'webhook-id': string;
          /** Time of the attempt in Unix seconds. */
          'webhook-timestamp': number;
          /** Signatures with every live secret: `v1,` and base64, separated by spaces (Standard Webhooks). */
          'webhook-signature': string;
        };
        path?: never;
        cookie?: never;
      };
      requestBody?: { content: {
        'application/json': components['schemas']['KnowledgeSourceSyncedEvent'];
      } };
      responses: {
        '2XX': { headers: { [name: string]: unknown }; content?: never };
      };
    } };
  'agent.published': { post: {
      parameters: {
        query?: never;
        header: {
          /** Lower-case hex HMAC-SHA256 of the body, keyed with the endpoint's secret. */
          'parley-signature': string;
          /** Signature with the other live secret. Present only during a rotation of the secret. */
          'parley-signature-next'?: string;
          /** `id` of the body. */
          'parley-event-id': string;
          /** `type` of the body. */
          'parley-event-type': string;
          /** Number of the attempt, starting at 1. */
          'parley-delivery-attempt': number;
          /** Present only for test events, which are sent to this endpoint alone. */
          'parley-test'?: 'true';
          /** `id` of the body (Standard Webhooks). */
          'webhook-id': string;
          /** Time of the attempt in Unix seconds. */
          'webhook-timestamp': number;
          /** Signatures with every live secret: `v1,` and base64, separated by spaces (Standard Webhooks). */
          'webhook-signature': string;
        };
        path?: never;
        cookie?: never;
      };
      requestBody?: { content: {
        'application/json': components['schemas']['AgentPublishedEvent'];
      } };
      responses: {
        '2XX': { headers: { [name: string]: unknown }; content?: never };
      };
    } };
  'agent.rolled_back': { post: {
      parameters: {
        query?: never;
        header: {
          /** Lower-case hex HMAC-SHA256 of the body, keyed with the endpoint's secret. */
          'parley-signature': string;
          /** Signature with the other live secret. Present only during a rotation of the secret. */
          'parley-signature-next'?: string;
          /** `id` of the body. */
          'parley-event-id': string;
          /** `type` of the body. */
          'parley-event-type': string;
          /** Number of the attempt, starting at 1. */
          'parley-delivery-attempt': number;
          /** Present only for test events, which are sent to this endpoint alone. */
          'parley-test'?: 'true';
          /** `id` of the body (Standard Webhooks). */
          'webhook-id': string;
          /** Time of the attempt in Unix seconds. */
          'webhook-timestamp': number;
          /** Signatures with every live secret: `v1,` and base64, separated by spaces (Standard Webhooks). */
          'webhook-signature': string;
        };
        path?: never;
        cookie?: never;
      };
      requestBody?: { content: {
        'application/json': components['schemas']['AgentRolledBackEvent'];
      } };
      responses: {
        '2XX': { headers: { [name: string]: unknown }; content?: never };
      };
    } };
}
