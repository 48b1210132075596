/**
 * Generated from the OpenAPI document: `npm run generate -- client`. A test compares it with what would be
 * generated.
 */

/** A path has only the methods that it declares. */
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
      /** ID of the request. The `Request-Id` header has the same value. */
      request_id: string;
      /** One entry for each invalid field in the body. */
      errors?: {
        /** JSON Pointer (RFC 6901) to the field in the body. */
        pointer: string;
        code: string;
        detail: string;
      }[];
    };
    ConversationStartedEvent: {
      /** ID of the event, `evt_…`. Use it to detect repeated deliveries. */
      id: string;
      type: 'conversation.started';
      /** Time of the event in Unix seconds. */
      created: number;
      data: {
        /** ID of the conversation, `conv_…`. */
        conversation_id: string;
        /** ID of the agent, `agt_…`. */
        agent_id: string;
        /** Number of the agent version. */
        agent_version: number;
        channel: ('chat' | 'voice' | 'sms' | 'web_voice');
        /** Rollout that the conversation is part of. `arm` is `from` for the old version and `to` for the new one. Absent if the conversation is not part of a rollout. */
        rollout?: {
          id: string;
          arm: ('from' | 'to');
          weight: number;
        };
        /** Your own ID for the user. */
        user_id?: string;
        /** Metadata of the conversation. Absent if it is empty. */
        metadata?: { [name: string]: string };
        /** ID of the call, `call_…`. Absent if there was no call. */
        call_id?: string;
      };
    };
    ConversationEndedEvent: {
      /** ID of the event, `evt_…`. Use it to detect repeated deliveries. */
      id: string;
      type: 'conversation.ended';
      /** Time of the event in Unix seconds. */
      created: number;
      data: {
        /** ID of the conversation, `conv_…`. */
        conversation_id: string;
        /** ID of the agent, `agt_…`. */
        agent_id: string;
        channel: ('chat' | 'voice' | 'sms' | 'web_voice');
        duration_sec: number;
        outcome: ('resolved' | 'unresolved' | 'escalated' | 'abandoned' | 'voicemail' | 'failed' | 'unknown');
        /** Predicted satisfaction of the user, from 1.0 to 5.0. */
        csat_predicted: number;
        transcript_url: string;
        /** Number of the agent version. */
        agent_version: number;
        ended_reason: string;
        /** Your own ID for the user. */
        user_id?: string;
        /** Metadata of the conversation. Absent if it is empty. */
        metadata?: { [name: string]: string };
        /** ID of the call, `call_…`. Absent if there was no call. */
        call_id?: string;
      };
    };
    ConversationTranscriptReadyEvent: {
      /** ID of the event, `evt_…`. Use it to detect repeated deliveries. */
      id: string;
      type: 'conversation.transcript.ready';
      /** Time of the event in Unix seconds. */
      created: number;
      data: {
        /** ID of the conversation, `conv_…`. */
        conversation_id: string;
        /** ID of the agent, `agt_…`. */
        agent_id: string;
        /** Number of the agent version. */
        agent_version: number;
        transcript_url: string;
        summary: string;
        turns: number;
        outcome: ('resolved' | 'unresolved' | 'escalated' | 'abandoned' | 'voicemail' | 'failed' | 'unknown');
        /** Predicted satisfaction of the user, from 1.0 to 5.0. */
        csat_predicted: number;
        /** Details of how a model judged the conversation. Present only if a model determined the summary, the outcome and the predicted satisfaction. */
        judgement?: {
          provider: string;
          model: string;
          topics: string[];
          open_questions: string[];
          by_rule: {
            summary: string;
            outcome: ('resolved' | 'unresolved' | 'escalated' | 'abandoned' | 'voicemail' | 'failed' | 'unknown');
            /** Predicted satisfaction of the user, from 1.0 to 5.0. */
            csat_predicted: number;
          };
        };
        /** Your own ID for the user. */
        user_id?: string;
        /** Metadata of the conversation. Absent if it is empty. */
        metadata?: { [name: string]: string };
        /** ID of the call, `call_…`. Absent if there was no call. */
        call_id?: string;
        channel?: ('chat' | 'voice' | 'sms' | 'web_voice');
      };
    };
    EscalationRequestedEvent: {
      /** ID of the event, `evt_…`. Use it to detect repeated deliveries. */
      id: string;
      type: 'escalation.requested';
      /** Time of the event in Unix seconds. */
      created: number;
      data: {
        escalation_id: string;
        /** ID of the conversation, `conv_…`. */
        conversation_id: string;
        /** ID of the agent, `agt_…`. */
        agent_id: string;
        reason: string;
        summary: string;
        /** Label of the team that is asked to accept the escalation. */
        team?: string;
        /** Colleague who accepted the escalation, but then released it or stopped responding. Present if the event asks for another colleague. */
        released_by?: {
          id: string;
          name: string;
        };
        /** Your own ID for the user. */
        user_id?: string;
        /** Metadata of the conversation. Absent if it is empty. */
        metadata?: { [name: string]: string };
        /** ID of the call, `call_…`. Absent if there was no call. */
        call_id?: string;
        channel?: ('chat' | 'voice' | 'sms' | 'web_voice');
      };
    };
    EscalationAcceptedEvent: {
      /** ID of the event, `evt_…`. Use it to detect repeated deliveries. */
      id: string;
      type: 'escalation.accepted';
      /** Time of the event in Unix seconds. */
      created: number;
      data: {
        escalation_id: string;
        /** ID of the conversation, `conv_…`. */
        conversation_id: string;
        /** ID of the agent, `agt_…`. */
        agent_id: string;
        accepted_by: {
          id: string;
          name: string;
        };
        wait_sec: number;
        /** Your own ID for the user. */
        user_id?: string;
        /** Metadata of the conversation. Absent if it is empty. */
        metadata?: { [name: string]: string };
        /** ID of the call, `call_…`. Absent if there was no call. */
        call_id?: string;
        channel?: ('chat' | 'voice' | 'sms' | 'web_voice');
      };
    };
    KnowledgeGapDetectedEvent: {
      /** ID of the event, `evt_…`. Use it to detect repeated deliveries. */
      id: string;
      type: 'knowledge.gap.detected';
      /** Time of the event in Unix seconds. */
      created: number;
      data: {
        gap_id: string;
        /** ID of the conversation, `conv_…`. */
        conversation_id: string;
        /** ID of the agent, `agt_…`. */
        agent_id: string;
        question: string;
        top_score: number;
        /** Your own ID for the user. */
        user_id?: string;
        /** Metadata of the conversation. Absent if it is empty. */
        metadata?: { [name: string]: string };
        /** ID of the call, `call_…`. Absent if there was no call. */
        call_id?: string;
        channel?: ('chat' | 'voice' | 'sms' | 'web_voice');
      };
    };
    KnowledgeSourceSyncedEvent: {
      /** ID of the event, `evt_…`. Use it to detect repeated deliveries. */
      id: string;
      type: 'knowledge.source.synced';
      /** Time of the event in Unix seconds. */
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
      /** ID of the event, `evt_…`. Use it to detect repeated deliveries. */
      id: string;
      type: 'agent.published';
      /** Time of the event in Unix seconds. */
      created: number;
      data: {
        /** ID of the agent, `agt_…`. */
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
      /** ID of the event, `evt_…`. Use it to detect repeated deliveries. */
      id: string;
      type: 'agent.rolled_back';
      /** Time of the event in Unix seconds. */
      created: number;
      data: {
        /** ID of the agent, `agt_…`. */
        agent_id: string;
        name: string;
        /** Number of the agent version. */
        version: number;
        /** Number of the agent version. */
        from_version: number;
        actor: string;
        reason: (string | null);
        /** The rollout that was aborted. `evidence` contains the metrics of both versions. It is null if a change to the declaration aborted the rollout. */
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
      /** ID of the agent, `agt_…`. */
      id: string;
      /** Creation time in Unix seconds. */
      created: number;
      /** Time of the last change in Unix seconds. */
      updated: number;
      /** Name of the agent: a DNS label that never changes. */
      name: string;
      /** Display name of the agent. */
      display_name: (string | null);
      /** Instructions that the agent follows. */
      prompt: (string | null);
      /** Voice of the agent: text to speech. */
      voice: ({
        /** Speech provider (TTS): a ModelProvider with `speech` in the same namespace, or a provider that the carrier supports. */
        provider?: string;
        /** Speech model. Defaults to the provider's default model. */
        model?: string;
        /** The provider's ID for the voice. */
        voice_id?: string;
        /** Language that the voice speaks, as a BCP 47 tag. Must be a language tag, such as en or pt-BR. */
        language?: string;
        /** Speaking rate. 1 is normal speed. */
        speed?: number;
        /** Fallbacks in order of preference, used when the first provider fails. */
        fallback?: {
          /** Provider to fall back to. Defaults to the voice's provider. */
          provider?: string;
          /** Speech model. Defaults to the provider's default model. */
          model?: string;
          /** The provider's ID for the voice. Defaults to the agent's voice if the provider is the same, otherwise to the provider's default voice. */
          voice_id?: string;
        }[];
      } | null);
      /** Transcription of what users say: speech to text. */
      transcriber: ({
        /** Transcription provider (STT): a ModelProvider with `transcription` in the same namespace, or a provider that the carrier supports. */
        provider?: string;
        /** Transcription model. Defaults to the provider's default model. */
        model?: string;
        /** Language that users speak, as a BCP 47 tag. Must be a language tag, such as en or pt-BR. */
        language?: string;
        /** Names and words that users are likely to say and that are hard to recognize. */
        keywords?: string[];
        /** Whether to transcribe the agent's interrupted sentence, in order to find the last word that was played before the interruption. This takes two requests. If false, the position is estimated from the audio. Default: false. */
        retranscribe_interrupted?: boolean;
        /** Fallbacks in order of preference, used when the first provider fails. */
        fallback?: {
          /** Provider to fall back to. Defaults to the transcriber's provider. */
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
        /** JSON Schema of the arguments that the model fills in; at most 64 KiB, 2000 members and elements, and 64 levels. */
        parameters?: { [name: string]: unknown };
        /** URL that a webhook tool calls. Must be an http or https URL in ASCII, such as https://example.com/hook, without a user name or password. */
        url?: string;
        /** HTTP method of a webhook tool. Default: POST. */
        method?: ('GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE');
        /** Extra headers that a webhook tool sends. */
        headers?: { [name: string]: string };
        /** Secret whose value is sent as a bearer token. It must have the label parley.dev/allow: "true". */
        secret_ref?: {
          /** Name of the Secret in the same namespace. Must be a DNS name: lower-case letters, digits, hyphens and dots, with a letter or digit at both ends. */
          name: string;
          /** Key in the Secret. Must consist of letters, digits, dots, hyphens and underscores. */
          key: string;
        };
        /** Secret with which requests are signed, in the same way as events. It must have the label parley.dev/allow: "true". */
        signing_secret_ref?: {
          /** Name of the Secret in the same namespace. Must be a DNS name: lower-case letters, digits, hyphens and dots, with a letter or digit at both ends. */
          name: string;
          /** Key in the Secret. Must consist of letters, digits, dots, hyphens and underscores. */
          key: string;
        };
        /** Maximum wait for the tool's whole response, in milliseconds. Default: 8000. */
        timeout_ms?: number;
        /** Agent in the same namespace to which a handoff tool hands over the conversation. Must be a DNS label: at most 63 lower-case letters, digits and hyphens, without a hyphen at either end. */
        agent?: string;
        /** Version of the handoff's target agent. Default: the target's active version at the time when this agent's version goes live. */
        version?: number;
      }[] | null);
      /** The agent's first message. */
      first_message: (string | null);
      /** Whether the user can interrupt the first message in a call. Default: true. */
      first_message_interruptible: (boolean | null);
      /** Language of the agent, as a BCP 47 tag. Must be a language tag, such as en or pt-BR. */
      language: (string | null);
      /** The language model and its settings. */
      model: ({
        /** ModelProvider in the same namespace. If absent or `default`, the default provider from the operator's settings is used. Must be a DNS label: at most 63 lower-case letters, digits and hyphens, without a hyphen at either end. */
        provider?: string;
        /** Name of the model. Defaults to the provider's default model. */
        name?: string;
        /** Sampling temperature. */
        temperature?: number;
        /** Maximum number of tokens in one reply. */
        max_tokens?: number;
        /** Fallback models in order of preference, used when the first model cannot answer. */
        fallback?: {
          /** ModelProvider in the same namespace. If absent or `default`, the default provider from the operator's settings is used. Must be a DNS label: at most 63 lower-case letters, digits and hyphens, without a hyphen at either end. */
          provider?: string;
          /** Name of the model. Defaults to the provider's default model. */
          name?: string;
        }[];
      } | null);
      /** Knowledge that the agent uses to answer. */
      knowledge: ({
        /** If true, the agent uses every knowledge source in the namespace, including ones added later. */
        all?: boolean;
        /** Selects the knowledge sources in the namespace by their metadata. */
        selector?: {
          /** Key-value pairs that a source's metadata must contain. */
          match_metadata: { [name: string]: string };
        };
        /** IDs of the knowledge sources that the agent uses. */
        source_ids?: string[];
        /** Names of the knowledge sources that the agent uses, in the same namespace. */
        source_names?: string[];
        /** Maximum number of passages used for one reply. */
        top_k?: number;
        /** Minimum score of a passage. If no passage reaches it, the question counts as a knowledge gap. */
        min_score?: number;
      } | null);
      /** When and how a human takes over. */
      escalation: ({
        /** Rules that request a human. */
        rules?: {
          /** Condition under which the rule requests a human. */
          when: ('user_request' | 'keyword' | 'tool_failure' | 'low_confidence' | 'mood' | 'turn_limit');
          /** Words that trigger the rule if a user message contains one of them. Required if `when` is `keyword`. */
          keywords?: string[];
          /** For tool_failure, low_confidence and mood: number of consecutive occurrences that trigger the rule. For turn_limit: number of user messages. */
          count?: number;
          /** Reason shown with the escalation. */
          reason?: string;
          /** Team to ask if this rule applies, instead of `escalation.team`. */
          team?: string;
        }[];
        /** How long to wait for a human to accept, in seconds. */
        timeout_sec?: number;
        /** Label that identifies who should take the escalation, such as a team, a skill or a language. */
        team?: string;
        /** Team to ask next if nobody accepts in time. If omitted, the agent continues the conversation. */
        fallback_team?: string;
        /** Telephone number to ring when a human is requested during a telephone call. If absent, no number is called, and human agents take over through the API. */
        telephone?: {
          /** Telephone number in E.164 format. Must be a phone number such as +442071838750: a plus sign and 7 to 15 digits. */
          to: string;
        };
        /** Hours in which human agents are available. If absent, they are always available. */
        hours?: {
          /** IANA time zone in which the hours apply. Must be an IANA time zone name, such as Europe/Berlin. */
          time_zone: string;
          /** Opening periods. Each period applies on all of the days that it lists. */
          open: {
            /** Days of the week. */
            days: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[];
            /** Start of the period, such as 09:00. Must be a time from 00:00 to 24:00, such as 09:30. */
            from: string;
            /** End of the period, exclusive, such as 17:30. 24:00 is the end of the day. Must be a time from 00:00 to 24:00, such as 09:30. */
            to: string;
          }[];
          /** Dates without opening periods, such as holidays. */
          closed_on?: string[];
          /** Message to users outside these hours. {{opens}} is replaced by the time at which the next opening period starts. */
          closed_message?: string;
        };
      } | null);
      /** Limits after which a conversation ends. */
      limits: ({
        /** Maximum duration of a conversation, in seconds, after which it ends. */
        max_duration_sec?: number;
        /** Number of seconds of user silence after which the conversation ends. */
        silence_timeout_sec?: number;
      } | null);
      /** Kinds of sensitive data to remove from what users write and say, before it is stored or sent to a model. */
      redaction: (('card' | 'email' | 'phone' | 'iban')[] | null);
      /** How ended conversations are judged. */
      judgement: ({
        /** How to judge ended conversations. `rule` (the default): by a fixed rule based on counts. `model`: by a language model in addition to the rule. */
        by: ('rule' | 'model');
        /** Model that judges the conversations. Defaults to the agent's own model. */
        model?: {
          /** ModelProvider in the same namespace. If absent or `default`, the default provider is used. Must be a DNS label: at most 63 lower-case letters, digits and hyphens, without a hyphen at either end. */
          provider?: string;
          /** Name of the model. Defaults to the provider's default model. */
          name?: string;
        };
        /** Possible topics of a conversation. If absent, the model names the topics itself. */
        topics?: string[];
      } | null);
      metadata: { [name: string]: string };
      /** Web pages that may open conversations with the agent. If absent, no web page may. */
      widget: ({
        /** Origins of the web pages that may open conversations with the agent, such as https://shop.example.com, capacitor://localhost or https://*.preview.example.com. */
        allowed_origins: string[];
        /** Maximum number of concurrent voice conversations from web pages. Also the maximum number of new conversations per minute from one IP address, counted separately for voice and chat. Default: 100. */
        max_concurrent?: number;
      } | null);
      publish_policy: ('automatic' | 'manual' | 'progressive');
      /** Steps and checks of a `progressive` rollout. */
      rollout: ({
        /** Steps of the rollout, with increasing weights. After the last step, the new version goes live. */
        steps: {
          /** Percentage of new conversations that use the new version. */
          weight: number;
          /** Number of conversations on the new version that must end before the next step. */
          min_conversations: number;
        }[];
        /** Maximum duration of a step, such as 90m, 72h or 7d. If a step takes longer, the rollout is held. Default: 72h. Must be a number of minutes, hours or days, such as 72h. */
        max_duration?: string;
        /** Metrics on which the new version must not be worse than the old version. */
        checks: {
          /** Metric by which the two versions are compared. */
          metric: ('escalation_rate' | 'resolution_rate' | 'gap_rate' | 'unanswered_rate' | 'tool_failure_rate' | 'csat_average' | 'turn_latency_p95_ms');
          /** Smallest difference at which the new version counts as worse, in the unit of the metric. */
          worse_by: number;
        }[];
        /** Webhook that must confirm each further step and the completion of the rollout. */
        confirm?: {
          /** URL of the webhook, which responds with confirm, hold or abort. Must be an http or https URL in ASCII, such as https://example.com/hook, without a user name or password. */
          url: string;
          /** Secret with which requests are signed, in the same way as events. It must have the label parley.dev/allow: "true". */
          signing_secret_ref: {
            /** Name of the Secret in the same namespace. Must be a DNS name: lower-case letters, digits, hyphens and dots, with a letter or digit at both ends. */
            name: string;
            /** Key in the Secret. Must consist of letters, digits, dots, hyphens and underscores. */
            key: string;
          };
          /** Maximum wait for the webhook's whole response, in milliseconds. Default: 8000. */
          timeout_ms?: number;
        };
        /** What to do if the new version is worse. Default: abort. */
        on_fail?: ('abort' | 'hold');
        /** `keep` (the default): after an abort, conversations in progress keep the new version. `escalate`: they also keep it, and Parley requests a human for each of them. */
        on_abort?: ('keep' | 'escalate');
      } | null);
      /** The version that is live. Null if no version was ever published. */
      active_version: (number | null);
      latest_version: (number | null);
      pinned_version: (number | null);
      /** Activation that made the active version live. Null if no version is live. */
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
      /** Whether the latest declaration of the agent is in effect. */
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
          /** Speech provider (TTS): a ModelProvider with `speech` in the same namespace, or a provider that the carrier supports. */
          provider?: string;
          /** Speech model. Defaults to the provider's default model. */
          model?: string;
          /** The provider's ID for the voice. */
          voice_id?: string;
          /** Language that the voice speaks, as a BCP 47 tag. Must be a language tag, such as en or pt-BR. */
          language?: string;
          /** Speaking rate. 1 is normal speed. */
          speed?: number;
          /** Fallbacks in order of preference, used when the first provider fails. */
          fallback?: {
            /** Provider to fall back to. Defaults to the voice's provider. */
            provider?: string;
            /** Speech model. Defaults to the provider's default model. */
            model?: string;
            /** The provider's ID for the voice. Defaults to the agent's voice if the provider is the same, otherwise to the provider's default voice. */
            voice_id?: string;
          }[];
        };
        /** Transcription of what users say: speech to text. */
        transcriber?: {
          /** Transcription provider (STT): a ModelProvider with `transcription` in the same namespace, or a provider that the carrier supports. */
          provider?: string;
          /** Transcription model. Defaults to the provider's default model. */
          model?: string;
          /** Language that users speak, as a BCP 47 tag. Must be a language tag, such as en or pt-BR. */
          language?: string;
          /** Names and words that users are likely to say and that are hard to recognize. */
          keywords?: string[];
          /** Whether to transcribe the agent's interrupted sentence, in order to find the last word that was played before the interruption. This takes two requests. If false, the position is estimated from the audio. Default: false. */
          retranscribe_interrupted?: boolean;
          /** Fallbacks in order of preference, used when the first provider fails. */
          fallback?: {
            /** Provider to fall back to. Defaults to the transcriber's provider. */
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
          /** JSON Schema of the arguments that the model fills in; at most 64 KiB, 2000 members and elements, and 64 levels. */
          parameters?: { [name: string]: unknown };
          /** URL that a webhook tool calls. Must be an http or https URL in ASCII, such as https://example.com/hook, without a user name or password. */
          url?: string;
          /** HTTP method of a webhook tool. Default: POST. */
          method?: ('GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE');
          /** Extra headers that a webhook tool sends. */
          headers?: { [name: string]: string };
          /** Secret whose value is sent as a bearer token. It must have the label parley.dev/allow: "true". */
          secret_ref?: {
            /** Name of the Secret in the same namespace. Must be a DNS name: lower-case letters, digits, hyphens and dots, with a letter or digit at both ends. */
            name: string;
            /** Key in the Secret. Must consist of letters, digits, dots, hyphens and underscores. */
            key: string;
          };
          /** Secret with which requests are signed, in the same way as events. It must have the label parley.dev/allow: "true". */
          signing_secret_ref?: {
            /** Name of the Secret in the same namespace. Must be a DNS name: lower-case letters, digits, hyphens and dots, with a letter or digit at both ends. */
            name: string;
            /** Key in the Secret. Must consist of letters, digits, dots, hyphens and underscores. */
            key: string;
          };
          /** Maximum wait for the tool's whole response, in milliseconds. Default: 8000. */
          timeout_ms?: number;
          /** Agent in the same namespace to which a handoff tool hands over the conversation. Must be a DNS label: at most 63 lower-case letters, digits and hyphens, without a hyphen at either end. */
          agent?: string;
          /** Version of the handoff's target agent. Default: the target's active version at the time when this agent's version goes live. */
          version?: number;
        }[];
        /** The agent's first message. */
        first_message?: string;
        /** Whether the user can interrupt the first message in a call. Default: true. */
        first_message_interruptible?: boolean;
        /** Language of the agent, as a BCP 47 tag. Must be a language tag, such as en or pt-BR. */
        language?: string;
        /** The language model and its settings. */
        model?: {
          /** ModelProvider in the same namespace. If absent or `default`, the default provider from the operator's settings is used. Must be a DNS label: at most 63 lower-case letters, digits and hyphens, without a hyphen at either end. */
          provider?: string;
          /** Name of the model. Defaults to the provider's default model. */
          name?: string;
          /** Sampling temperature. */
          temperature?: number;
          /** Maximum number of tokens in one reply. */
          max_tokens?: number;
          /** Fallback models in order of preference, used when the first model cannot answer. */
          fallback?: {
            /** ModelProvider in the same namespace. If absent or `default`, the default provider from the operator's settings is used. Must be a DNS label: at most 63 lower-case letters, digits and hyphens, without a hyphen at either end. */
            provider?: string;
            /** Name of the model. Defaults to the provider's default model. */
            name?: string;
          }[];
        };
        /** Knowledge that the agent uses to answer. */
        knowledge?: {
          /** If true, the agent uses every knowledge source in the namespace, including ones added later. */
          all?: boolean;
          /** Selects the knowledge sources in the namespace by their metadata. */
          selector?: {
            /** Key-value pairs that a source's metadata must contain. */
            match_metadata: { [name: string]: string };
          };
          /** IDs of the knowledge sources that the agent uses. */
          source_ids?: string[];
          /** Names of the knowledge sources that the agent uses, in the same namespace. */
          source_names?: string[];
          /** Maximum number of passages used for one reply. */
          top_k?: number;
          /** Minimum score of a passage. If no passage reaches it, the question counts as a knowledge gap. */
          min_score?: number;
        };
        /** When and how a human takes over. */
        escalation?: {
          /** Rules that request a human. */
          rules?: {
            /** Condition under which the rule requests a human. */
            when: ('user_request' | 'keyword' | 'tool_failure' | 'low_confidence' | 'mood' | 'turn_limit');
            /** Words that trigger the rule if a user message contains one of them. Required if `when` is `keyword`. */
            keywords?: string[];
            /** For tool_failure, low_confidence and mood: number of consecutive occurrences that trigger the rule. For turn_limit: number of user messages. */
            count?: number;
            /** Reason shown with the escalation. */
            reason?: string;
            /** Team to ask if this rule applies, instead of `escalation.team`. */
            team?: string;
          }[];
          /** How long to wait for a human to accept, in seconds. */
          timeout_sec?: number;
          /** Label that identifies who should take the escalation, such as a team, a skill or a language. */
          team?: string;
          /** Team to ask next if nobody accepts in time. If omitted, the agent continues the conversation. */
          fallback_team?: string;
          /** Telephone number to ring when a human is requested during a telephone call. If absent, no number is called, and human agents take over through the API. */
          telephone?: {
            /** Telephone number in E.164 format. Must be a phone number such as +442071838750: a plus sign and 7 to 15 digits. */
            to: string;
          };
          /** Hours in which human agents are available. If absent, they are always available. */
          hours?: {
            /** IANA time zone in which the hours apply. Must be an IANA time zone name, such as Europe/Berlin. */
            time_zone: string;
            /** Opening periods. Each period applies on all of the days that it lists. */
            open: {
              /** Days of the week. */
              days: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[];
              /** Start of the period, such as 09:00. Must be a time from 00:00 to 24:00, such as 09:30. */
              from: string;
              /** End of the period, exclusive, such as 17:30. 24:00 is the end of the day. Must be a time from 00:00 to 24:00, such as 09:30. */
              to: string;
            }[];
            /** Dates without opening periods, such as holidays. */
            closed_on?: string[];
            /** Message to users outside these hours. {{opens}} is replaced by the time at which the next opening period starts. */
            closed_message?: string;
          };
        };
        /** Limits after which a conversation ends. */
        limits?: {
          /** Maximum duration of a conversation, in seconds, after which it ends. */
          max_duration_sec?: number;
          /** Number of seconds of user silence after which the conversation ends. */
          silence_timeout_sec?: number;
        };
        /** Kinds of sensitive data to remove from what users write and say, before it is stored or sent to a model. */
        redaction?: ('card' | 'email' | 'phone' | 'iban')[];
        /** How ended conversations are judged. */
        judgement?: {
          /** How to judge ended conversations. `rule` (the default): by a fixed rule based on counts. `model`: by a language model in addition to the rule. */
          by: ('rule' | 'model');
          /** Model that judges the conversations. Defaults to the agent's own model. */
          model?: {
            /** ModelProvider in the same namespace. If absent or `default`, the default provider is used. Must be a DNS label: at most 63 lower-case letters, digits and hyphens, without a hyphen at either end. */
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
      /** Time of the first recall in Unix seconds. Null if the version was never recalled. */
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
    /** An entry in the append-only log of activations. */
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
    /** The rollout in progress or, if there is none, the last rollout. */
    Rollout: {
      /** ID of the rollout, `ro_…`. */
      rollout_id: string;
      /** Number of the step, starting at 1. */
      step: number;
      /** Percentage of new conversations that use the new version. */
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
      /** Number of conversations on the old version that have ended. */
      from: {
        conversations: number;
      };
      /** Number of conversations on the new version that have ended. */
      to: {
        conversations: number;
      };
      checks: {
        metric: ('escalation_rate' | 'resolution_rate' | 'gap_rate' | 'unanswered_rate' | 'tool_failure_rate' | 'csat_average' | 'turn_latency_p95_ms');
        worse_by: number;
        /** Value of the metric for the old version, over all steps. Null for a percentile, or if there is no data. */
        from: (number | null);
        /** Value of the metric for the new version, over all steps. Null for a percentile, or if there is no data. */
        to: (number | null);
        /** Value for the new version minus value for the old version, compared within each step. Null if there is no data. */
        difference: (number | null);
        /** Lower confidence bound of `difference`. Null if the bound is unknown. */
        low: (number | null);
        /** Upper confidence bound of `difference`. Null if the bound is unknown. */
        high: (number | null);
        verdict: ('worse' | 'passed' | 'undecided');
      }[];
      /** Number of conversations on the new version that have ended in this step. */
      conversations: number;
      /** Number of conversations on the new version that must end before this step can end. */
      min_conversations: number;
    };
    /** An entry in the append-only log of rollouts. */
    RolloutAct: {
      /** ID of the rollout, `ro_…`. */
      rollout_id: string;
      /** Number of the step, starting at 1. */
      step: number;
      /** Percentage of new conversations that use the new version. */
      weight: number;
      from_version: number;
      to_version: number;
      actor: string;
      reason: (string | null);
      /** Unix seconds. */
      at: number;
      action: ('started' | 'advanced' | 'held' | 'resumed' | 'completed' | 'aborted');
      /** Metrics at the time of this change. Null if a declaration or a recall caused the change. */
      evidence: ({
        /** Number of conversations on the old version that have ended. */
        from: {
          conversations: number;
        };
        /** Number of conversations on the new version that have ended. */
        to: {
          conversations: number;
        };
        checks: {
          metric: ('escalation_rate' | 'resolution_rate' | 'gap_rate' | 'unanswered_rate' | 'tool_failure_rate' | 'csat_average' | 'turn_latency_p95_ms');
          worse_by: number;
          /** Value of the metric for the old version, over all steps. Null for a percentile, or if there is no data. */
          from: (number | null);
          /** Value of the metric for the new version, over all steps. Null for a percentile, or if there is no data. */
          to: (number | null);
          /** Value for the new version minus value for the old version, compared within each step. Null if there is no data. */
          difference: (number | null);
          /** Lower confidence bound of `difference`. Null if the bound is unknown. */
          low: (number | null);
          /** Upper confidence bound of `difference`. Null if the bound is unknown. */
          high: (number | null);
          verdict: ('worse' | 'passed' | 'undecided');
        }[];
      } | null);
    };
    /** A recall of an agent's versions. */
    Recall: {
      id: string;
      agent_id: string;
      /** The recalled versions, which can never go live again. */
      versions: number[];
      /** The recall affects conversations that started at or after this time, in Unix seconds. Null if it affects all conversations. */
      since: (number | null);
      reason: (string | null);
      actor: string;
      /** Creation time in Unix seconds. */
      created: number;
    };
    /** A conversation with a recalled version. */
    RecalledConversation: {
      conversation_id: string;
      /** The recalled versions that took part in the conversation. */
      versions: number[];
      /** Agent with which the conversation started. */
      agent_id: string;
      /** Version with which the conversation started. If it is not in `versions`, the conversation was later handed over to a version that is. */
      agent_version: number;
      /** Your own ID for the user. */
      user_id: (string | null);
      channel: ('chat' | 'voice' | 'sms' | 'web_voice');
      status: ('active' | 'escalated' | 'ended' | 'failed');
      outcome: ('resolved' | 'unresolved' | 'escalated' | 'abandoned' | 'voicemail' | 'failed' | 'unknown' | null);
      /** Unix seconds. */
      started_at: number;
      /** Time at which the conversation ended, in Unix seconds. Null if it has not ended. */
      ended_at: (number | null);
      /** Whether the conversation was erased. Erasing it also erases its user and its tool calls. */
      erased: boolean;
    };
    /** A user who talked to a recalled version, and the newest conversation in which this happened. */
    RecalledUser: {
      user_id: string;
      last_conversation_id: string;
      /** Unix seconds. */
      last_started_at: number;
    };
    /** A tool call by a recalled version. */
    RecalledToolCall: {
      conversation_id: string;
      /** Your own ID for the user. */
      user_id: (string | null);
      /** Unix seconds. */
      called_at: number;
      /** Turn with the tool call, its arguments and its result. */
      turn: {
        index: number;
        role: ('user' | 'agent' | 'tool' | 'human' | 'system');
        /** Name of the human agent who spoke. Only in turns with the role `human`. */
        name?: string;
        text: string;
        /** Milliseconds since the conversation started. */
        started_at_ms: number;
        /** Milliseconds since the conversation started. */
        ended_at_ms: number;
        interrupted: boolean;
        tool_call?: { [name: string]: unknown };
        tool_result?: { [name: string]: unknown };
        /** Knowledge search for the reply: the query, and the passages that the reply uses, best first. */
        retrieval?: {
          query: string;
          top_score: number;
          chunks: {
            source_id: string;
            document_id: string;
            chunk_id: string;
            score: number;
            /** Similarity in meaning between the question and the passage, at most 1. Absent if it was not computed. */
            similarity?: number;
          }[];
          /** Passages that were found but not used for the reply. */
          considered?: {
            source_id: string;
            document_id: string;
            chunk_id: string;
            score: number;
            /** Similarity in meaning between the question and the passage, at most 1. Absent if it was not computed. */
            similarity?: number;
          }[];
        };
        /** Latency of each part of the turn in milliseconds. `turn_ms` is the total. */
        latency?: { [name: string]: number };
        /** Agent that spoke or called the tool. After a handoff, this is the new agent. */
        agent_id?: string;
        agent_version?: number;
        /** Model usage of this turn. */
        model?: {
          /** Name of the model provider, or `default`. */
          provider: string;
          /** Name of the model that replied. */
          name: string;
          finish_reason: string;
          /** Number of model requests. Each round of tool calls adds one. */
          steps: number;
          usage: {
            input_tokens: number;
            output_tokens: number;
            cached_input_tokens: number;
            /** True if Parley estimated the number of tokens, because the response was incomplete. */
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
        /** Number of items of each kind that were removed from the user's text. */
        redacted?: {
          card?: number;
          email?: number;
          phone?: number;
          iban?: number;
        };
      };
    };
    /** Statistics about an agent's conversations. */
    AgentStats: {
      agent_id: string;
      version: (number | null);
      /** Unix seconds. */
      from: number;
      /** Unix seconds. */
      to: number;
      /** Number of conversations that started in the period, including erased ones. */
      conversations: number;
      /** Number of conversations that have not ended. */
      active: number;
      /** Number of conversations that have ended: the sum of the seven outcome counts. */
      ended: number;
      /** Number of conversations with the outcome `resolved`. */
      resolved: number;
      /** Number of conversations with the outcome `unresolved`. */
      unresolved: number;
      /** Number of conversations with the outcome `escalated`. */
      escalated: number;
      /** Number of conversations with the outcome `abandoned`. */
      abandoned: number;
      /** Number of conversations with the outcome `voicemail`. */
      voicemail: number;
      /** Number of conversations with the outcome `failed`. */
      failed: number;
      /** Number of conversations with the outcome `unknown`. */
      unknown: number;
      /** `resolved` divided by `ended`. */
      resolution_rate: (number | null);
      /** Average satisfaction reported by users, from 1 to 5. */
      csat_average: (number | null);
      /** Number of conversations whose users reported their satisfaction. */
      csat_count: number;
      /** Average predicted satisfaction of the ended conversations, from 1 to 5. */
      csat_predicted_average: (number | null);
      /** Mean absolute difference between predicted and reported satisfaction, in conversations that have both. */
      csat_predicted_error: (number | null);
      /** Pearson correlation of reported and predicted satisfaction. Null if fewer than two conversations have both values, or if all values of one kind are equal. */
      csat_correlation: (number | null);
      /** Number of escalations in the counted conversations. */
      escalations: number;
      /** Number of conversations with at least one escalation. */
      escalated_conversations: number;
      /** `escalated_conversations` divided by `conversations`. */
      escalation_rate: (number | null);
      /** Number of user questions, answered or not. */
      questions: number;
      /** Number of user questions to which no answer was found. */
      gaps: number;
      /** `gaps` divided by `questions`. */
      gap_rate: (number | null);
      /** Number of turns by all speakers. */
      turns: number;
      /** Number of agent turns with a measured latency in the newest 1,000 conversations. */
      turn_latency_count: number;
      /** Median of the measured turn latencies, in milliseconds. */
      turn_latency_p50_ms: (number | null);
      /** 95th percentile of the measured turn latencies, in milliseconds. */
      turn_latency_p95_ms: (number | null);
    };
    /** Conversation statistics. */
    Stats: {
      /** Unix seconds. */
      from: number;
      /** Unix seconds. */
      to: number;
      /** Statistics about all conversations in the period. */
      total: {
        /** Number of conversations that started in the period, including erased ones. */
        conversations: number;
        /** Number of conversations that have not ended. */
        active: number;
        /** Number of conversations that have ended: the sum of the seven outcome counts. */
        ended: number;
        /** Number of conversations with the outcome `resolved`. */
        resolved: number;
        /** Number of conversations with the outcome `unresolved`. */
        unresolved: number;
        /** Number of conversations with the outcome `escalated`. */
        escalated: number;
        /** Number of conversations with the outcome `abandoned`. */
        abandoned: number;
        /** Number of conversations with the outcome `voicemail`. */
        voicemail: number;
        /** Number of conversations with the outcome `failed`. */
        failed: number;
        /** Number of conversations with the outcome `unknown`. */
        unknown: number;
        /** `resolved` divided by `ended`. */
        resolution_rate: (number | null);
        /** Average satisfaction reported by users, from 1 to 5. */
        csat_average: (number | null);
        /** Number of conversations whose users reported their satisfaction. */
        csat_count: number;
        /** Average predicted satisfaction of the ended conversations, from 1 to 5. */
        csat_predicted_average: (number | null);
        /** Mean absolute difference between predicted and reported satisfaction, in conversations that have both. */
        csat_predicted_error: (number | null);
        /** Pearson correlation of reported and predicted satisfaction. Null if fewer than two conversations have both values, or if all values of one kind are equal. */
        csat_correlation: (number | null);
        /** Number of escalations in the counted conversations. */
        escalations: number;
        /** Number of conversations with at least one escalation. */
        escalated_conversations: number;
        /** `escalated_conversations` divided by `conversations`. */
        escalation_rate: (number | null);
        /** Number of user questions, answered or not. */
        questions: number;
        /** Number of user questions to which no answer was found. */
        gaps: number;
        /** `gaps` divided by `questions`. */
        gap_rate: (number | null);
        /** Number of turns by all speakers. */
        turns: number;
      };
      /** One entry for each version that has conversations, most conversations first. */
      agents: components['schemas']['VersionStats'][];
      /** Whether there are more than 1000 entries. */
      has_more: boolean;
    };
    /** Statistics about the conversations that started on this version. */
    VersionStats: {
      agent_id: string;
      version: number;
      /** Number of conversations that started in the period, including erased ones. */
      conversations: number;
      /** Number of conversations that have not ended. */
      active: number;
      /** Number of conversations that have ended: the sum of the seven outcome counts. */
      ended: number;
      /** Number of conversations with the outcome `resolved`. */
      resolved: number;
      /** Number of conversations with the outcome `unresolved`. */
      unresolved: number;
      /** Number of conversations with the outcome `escalated`. */
      escalated: number;
      /** Number of conversations with the outcome `abandoned`. */
      abandoned: number;
      /** Number of conversations with the outcome `voicemail`. */
      voicemail: number;
      /** Number of conversations with the outcome `failed`. */
      failed: number;
      /** Number of conversations with the outcome `unknown`. */
      unknown: number;
      /** `resolved` divided by `ended`. */
      resolution_rate: (number | null);
      /** Average satisfaction reported by users, from 1 to 5. */
      csat_average: (number | null);
      /** Number of conversations whose users reported their satisfaction. */
      csat_count: number;
      /** Average predicted satisfaction of the ended conversations, from 1 to 5. */
      csat_predicted_average: (number | null);
      /** Mean absolute difference between predicted and reported satisfaction, in conversations that have both. */
      csat_predicted_error: (number | null);
      /** Pearson correlation of reported and predicted satisfaction. Null if fewer than two conversations have both values, or if all values of one kind are equal. */
      csat_correlation: (number | null);
      /** Number of escalations in the counted conversations. */
      escalations: number;
      /** Number of conversations with at least one escalation. */
      escalated_conversations: number;
      /** `escalated_conversations` divided by `conversations`. */
      escalation_rate: (number | null);
      /** Number of user questions, answered or not. */
      questions: number;
      /** Number of user questions to which no answer was found. */
      gaps: number;
      /** `gaps` divided by `questions`. */
      gap_rate: (number | null);
      /** Number of turns by all speakers. */
      turns: number;
    };
    /** Conversation metrics over time and by group. */
    Analytics: {
      /** Start of the first interval. */
      from: number;
      /** End of the period, rounded up to a quarter of an hour. */
      to: number;
      interval: ('hour' | 'day' | 'week');
      time_zone: string;
      group_by: ('agent' | 'version' | 'channel' | 'topic' | 'person' | null);
      total: components['schemas']['AnalyticsFigures'];
      /** Metrics for the preceding period of the same length. */
      previous: {
        /** Unix seconds. */
        from: number;
        /** Unix seconds. */
        to: number;
        total: components['schemas']['AnalyticsFigures'];
      };
      /** One entry for each interval, earliest first. */
      buckets: {
        /** Start of the interval. */
        at: number;
        /** Number of conversations that started in the period, including erased ones. */
        conversations: number;
        /** Number of conversations that have not ended. */
        active: number;
        /** Number of conversations that have ended: the sum of the seven outcome counts. */
        ended: number;
        /** Number of conversations with the outcome `resolved`. */
        resolved: number;
        /** Number of conversations with the outcome `unresolved`. */
        unresolved: number;
        /** Number of conversations with the outcome `escalated`. */
        escalated: number;
        /** Number of conversations with the outcome `abandoned`. */
        abandoned: number;
        /** Number of conversations with the outcome `voicemail`. */
        voicemail: number;
        /** Number of conversations with the outcome `failed`. */
        failed: number;
        /** Number of conversations with the outcome `unknown`. */
        unknown: number;
        /** `resolved` divided by `ended`. */
        resolution_rate: (number | null);
        /** Average satisfaction reported by users, from 1 to 5. */
        csat_average: (number | null);
        /** Number of conversations whose users reported their satisfaction. */
        csat_count: number;
        /** Average predicted satisfaction of the ended conversations, from 1 to 5. */
        csat_predicted_average: (number | null);
        /** Mean absolute difference between predicted and reported satisfaction, in conversations that have both. */
        csat_predicted_error: (number | null);
        /** Pearson correlation of reported and predicted satisfaction. Null if fewer than two conversations have both values, or if all values of one kind are equal. */
        csat_correlation: (number | null);
        /** Number of escalations in the counted conversations. */
        escalations: number;
        /** Number of conversations with at least one escalation. */
        escalated_conversations: number;
        /** `escalated_conversations` divided by `conversations`. */
        escalation_rate: (number | null);
        /** Number of user questions, answered or not. */
        questions: number;
        /** Number of user questions to which no answer was found. */
        gaps: number;
        /** `gaps` divided by `questions`. */
        gap_rate: (number | null);
        /** Number of turns by all speakers. */
        turns: number;
        /** Number of ended conversations in which no human agent was requested. */
        contained: number;
        /** `contained` divided by `ended`. */
        containment_rate: (number | null);
        /** Number of escalations that somebody accepted. */
        accepted_escalations: number;
        /** Average time in seconds from the request for a human agent until one accepted it. */
        time_to_accept_sec: (number | null);
        /** Number of escalations that nobody accepted in time. */
        missed_escalations: number;
        /** Number of tokens that models read for replies and judgements, including cached tokens. */
        input_tokens: number;
        /** Number of tokens that models generated. */
        output_tokens: number;
        /** Number of input tokens that a provider read from its cache. */
        cached_input_tokens: number;
        /** Model costs by currency, such as `{"USD": 1.25}`. Requests to a provider without prices are not included. */
        costs: { [name: string]: number };
      }[];
      /** One entry for each group that has conversations, largest group first. Empty without `group_by`. */
      groups: {
        agent_id: (string | null);
        version: (number | null);
        channel: ('chat' | 'voice' | 'sms' | 'web_voice' | null);
        topic: (string | null);
        /** The human agent who accepted these conversations. Null unless `group_by` is `person`. */
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
    /** Metrics for a group of conversations. */
    AnalyticsFigures: {
      /** Number of conversations that started in the period, including erased ones. */
      conversations: number;
      /** Number of conversations that have not ended. */
      active: number;
      /** Number of conversations that have ended: the sum of the seven outcome counts. */
      ended: number;
      /** Number of conversations with the outcome `resolved`. */
      resolved: number;
      /** Number of conversations with the outcome `unresolved`. */
      unresolved: number;
      /** Number of conversations with the outcome `escalated`. */
      escalated: number;
      /** Number of conversations with the outcome `abandoned`. */
      abandoned: number;
      /** Number of conversations with the outcome `voicemail`. */
      voicemail: number;
      /** Number of conversations with the outcome `failed`. */
      failed: number;
      /** Number of conversations with the outcome `unknown`. */
      unknown: number;
      /** `resolved` divided by `ended`. */
      resolution_rate: (number | null);
      /** Average satisfaction reported by users, from 1 to 5. */
      csat_average: (number | null);
      /** Number of conversations whose users reported their satisfaction. */
      csat_count: number;
      /** Average predicted satisfaction of the ended conversations, from 1 to 5. */
      csat_predicted_average: (number | null);
      /** Mean absolute difference between predicted and reported satisfaction, in conversations that have both. */
      csat_predicted_error: (number | null);
      /** Pearson correlation of reported and predicted satisfaction. Null if fewer than two conversations have both values, or if all values of one kind are equal. */
      csat_correlation: (number | null);
      /** Number of escalations in the counted conversations. */
      escalations: number;
      /** Number of conversations with at least one escalation. */
      escalated_conversations: number;
      /** `escalated_conversations` divided by `conversations`. */
      escalation_rate: (number | null);
      /** Number of user questions, answered or not. */
      questions: number;
      /** Number of user questions to which no answer was found. */
      gaps: number;
      /** `gaps` divided by `questions`. */
      gap_rate: (number | null);
      /** Number of turns by all speakers. */
      turns: number;
      /** Number of ended conversations in which no human agent was requested. */
      contained: number;
      /** `contained` divided by `ended`. */
      containment_rate: (number | null);
      /** Number of escalations that somebody accepted. */
      accepted_escalations: number;
      /** Average time in seconds from the request for a human agent until one accepted it. */
      time_to_accept_sec: (number | null);
      /** Number of escalations that nobody accepted in time. */
      missed_escalations: number;
      /** Number of tokens that models read for replies and judgements, including cached tokens. */
      input_tokens: number;
      /** Number of tokens that models generated. */
      output_tokens: number;
      /** Number of input tokens that a provider read from its cache. */
      cached_input_tokens: number;
      /** Model costs by currency, such as `{"USD": 1.25}`. Requests to a provider without prices are not included. */
      costs: { [name: string]: number };
    };
    /** A URL that receives events. */
    WebhookEndpoint: {
      /** ID of the endpoint, `we_…`. */
      id: string;
      /** Creation time in Unix seconds. */
      created: number;
      /** Time of the last change in Unix seconds. */
      updated: number;
      name: string;
      url: string;
      /** Subscribed event types, as declared. Null means every type. */
      event_types: (string[] | null);
      description: (string | null);
      enabled: boolean;
      /** Names of the extra headers. Their values are never shown. */
      header_names: string[];
      metadata: { [name: string]: string };
      managed_by: ('api' | 'kubernetes' | 'file');
      /** Whether the latest configuration of the endpoint is in effect. */
      ready: boolean;
      status_message: (string | null);
      /** Health, based on the latest deliveries. `not_ready` if the latest configuration is not in effect. */
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
      /** Time of the first failure since the last success, in Unix seconds. Null if nothing has failed since then. */
      failing_since: (number | null);
      /** Number of failed attempts since the last success. */
      failed_attempts: number;
      /** Number of unfinished deliveries, counted up to 10000. Null in lists. */
      unfinished_deliveries: (number | null);
      /** Why the endpoint is disabled, including who disabled it. Null if it is enabled. */
      disabled_reason: (string | null);
      /** The rotation in progress, during which two secrets are valid; see `rotate_secret`. Null if no rotation is in progress. */
      secret_rotation: ({
        /** Time at which the new secret starts to sign `parley-signature`, in Unix seconds. */
        activates_at: number;
        /** Time at which the old secret becomes invalid, in Unix seconds. */
        ends_at: number;
      } | null);
    };
    /** A new endpoint, including its signing secret. */
    CreatedWebhookEndpoint: {
      /** ID of the endpoint, `we_…`. */
      id: string;
      /** Creation time in Unix seconds. */
      created: number;
      /** Time of the last change in Unix seconds. */
      updated: number;
      name: string;
      url: string;
      /** Subscribed event types, as declared. Null means every type. */
      event_types: (string[] | null);
      description: (string | null);
      enabled: boolean;
      /** Names of the extra headers. Their values are never shown. */
      header_names: string[];
      metadata: { [name: string]: string };
      managed_by: ('api' | 'kubernetes' | 'file');
      /** Whether the latest configuration of the endpoint is in effect. */
      ready: boolean;
      status_message: (string | null);
      /** Health, based on the latest deliveries. `not_ready` if the latest configuration is not in effect. */
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
      /** Time of the first failure since the last success, in Unix seconds. Null if nothing has failed since then. */
      failing_since: (number | null);
      /** Number of failed attempts since the last success. */
      failed_attempts: number;
      /** Number of unfinished deliveries, counted up to 10000. Null in lists. */
      unfinished_deliveries: (number | null);
      /** Why the endpoint is disabled, including who disabled it. Null if it is enabled. */
      disabled_reason: (string | null);
      /** The rotation in progress, during which two secrets are valid; see `rotate_secret`. Null if no rotation is in progress. */
      secret_rotation: ({
        /** Time at which the new secret starts to sign `parley-signature`, in Unix seconds. */
        activates_at: number;
        /** Time at which the old secret becomes invalid, in Unix seconds. */
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
      /** ID of the endpoint, `we_…`. */
      id: string;
      /** Creation time in Unix seconds. */
      created: number;
      /** Time of the last change in Unix seconds. */
      updated: number;
      name: string;
      url: string;
      /** Subscribed event types, as declared. Null means every type. */
      event_types: (string[] | null);
      description: (string | null);
      enabled: boolean;
      /** Names of the extra headers. Their values are never shown. */
      header_names: string[];
      metadata: { [name: string]: string };
      managed_by: ('api' | 'kubernetes' | 'file');
      /** Whether the latest configuration of the endpoint is in effect. */
      ready: boolean;
      status_message: (string | null);
      /** Health, based on the latest deliveries. `not_ready` if the latest configuration is not in effect. */
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
      /** Time of the first failure since the last success, in Unix seconds. Null if nothing has failed since then. */
      failing_since: (number | null);
      /** Number of failed attempts since the last success. */
      failed_attempts: number;
      /** Number of unfinished deliveries, counted up to 10000. Null in lists. */
      unfinished_deliveries: (number | null);
      /** Why the endpoint is disabled, including who disabled it. Null if it is enabled. */
      disabled_reason: (string | null);
      /** The rotation in progress, during which two secrets are valid; see `rotate_secret`. Null if no rotation is in progress. */
      secret_rotation: ({
        /** Time at which the new secret starts to sign `parley-signature`, in Unix seconds. */
        activates_at: number;
        /** Time at which the old secret becomes invalid, in Unix seconds. */
        ends_at: number;
      } | null);
      /** The new signing secret, if this request created one. Only this response shows it. */
      secret?: string;
    };
    /** An event as it is sent, and the state of its deliveries. */
    Event: {
      /** ID of the event, `evt_…`. */
      id: string;
      type: ('conversation.started' | 'conversation.ended' | 'conversation.transcript.ready' | 'escalation.requested' | 'escalation.accepted' | 'knowledge.gap.detected' | 'knowledge.source.synced' | 'agent.published' | 'agent.rolled_back');
      /** Creation time in Unix seconds. */
      created: number;
      /** Whether this is a test event, sent by `POST /v1/webhooks/{id}/test`. */
      test: boolean;
      /** Data of the event. The fields depend on `type`; see the webhooks in this document. */
      data: { [name: string]: unknown };
      /** Number of deliveries by status. Deliveries waiting for a retry count as pending. */
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
      /** ID of the delivery that the explanation describes. Null if no delivery exists. */
      delivery_id: (string | null);
      /** Unix seconds. */
      next_attempt_at: (number | null);
    };
    /** Delivery of an event to an endpoint, with its attempts. */
    Delivery: {
      /** ID of the delivery, `dlv_…`. */
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
      /** Start of the attempt in progress, in Unix seconds. `attempts` does not include that attempt yet. Null if no attempt is in progress. */
      in_flight_since: (number | null);
      /** Unix seconds. */
      next_attempt_at: (number | null);
      /** Unix seconds. */
      delivered_at: (number | null);
      /** ID of the replay (`dlv_…`) whose acknowledgement also ended this delivery. Null if no replay ended it. */
      delivered_by: (string | null);
      attempts: {
        number: number;
        trigger: ('schedule' | 'manual' | 'replay' | 'test');
        /** Unix seconds. */
        started_at: number;
        /** Duration of the attempt in milliseconds. Null if the result of the attempt was lost. */
        duration_ms: (number | null);
        status_code: (number | null);
        error_class: ('http_status' | 'redirect' | 'timeout' | 'dns' | 'connect' | 'tls' | 'blocked' | 'lost_lease' | null);
        error_message: (string | null);
        /** First 4 KiB of the response body. */
        response_body: (string | null);
      }[];
    };
    /** Delivery statistics for a period. */
    DeliveryStats: {
      /** Unix seconds. */
      from: number;
      /** Unix seconds. */
      to: number;
      endpoint_id: (string | null);
      /** The statistics cover events from this time on, in Unix seconds. It is later than `from` if the period has more than 100,000 finished deliveries. */
      counted_from: number;
      acknowledged: number;
      /** Number of deliveries whose attempts all failed. */
      failed: number;
      canceled: number;
      /** Number of unfinished deliveries, counted up to 10,000. */
      unfinished: number;
      attempts: number;
      /** Number of unacknowledged attempts, including those of unfinished deliveries. */
      failed_attempts: number;
      /** Number of deliveries acknowledged on the first attempt. The latencies cover only these. */
      latency_count: number;
      /** Median time from the event to its acknowledgement, in milliseconds. */
      latency_p50_ms: (number | null);
      latency_p95_ms: (number | null);
      within_500_ms_rate: (number | null);
      bucket_sec: number;
      buckets: {
        /** Start of the bucket in Unix seconds. */
        at: number;
        acknowledged: number;
        failed: number;
        failed_attempts: number;
        latency_p50_ms: (number | null);
        latency_p95_ms: (number | null);
      }[];
    };
    /** What a replay would send. */
    ReplayCount: {
      /** Number of deliveries that would be created or, with `retrying`, attempted. */
      count: number;
      endpoint_id: string;
      /** `failed`: events whose deliveries to the endpoint all failed or were canceled. `missing`: events that never had a delivery to the endpoint, of the types to which it is subscribed now. `all`: every event of those types. `retrying`: unfinished deliveries with a failed attempt, which wait for the next one; they are attempted immediately, and no new deliveries are created. */
      mode: ('failed' | 'missing' | 'all' | 'retrying');
      types: ('conversation.started' | 'conversation.ended' | 'conversation.transcript.ready' | 'escalation.requested' | 'escalation.accepted' | 'knowledge.gap.detected' | 'knowledge.source.synced' | 'agent.published' | 'agent.rolled_back')[];
      /** Unix seconds. */
      since: number;
      /** Unix seconds. */
      until: number;
    };
    /** A background job that keeps running after the API responds. */
    Job: {
      /** ID of the job, `job_…`. */
      id: string;
      type: 'replay';
      status: ('running' | 'done' | 'stopped' | 'failed');
      /** `total` is the number of deliveries to create or, with `retrying`, to attempt, as counted at the start. `done` is how many were created or attempted so far. */
      progress: {
        total: number;
        done: number;
      };
      /** Creation time in Unix seconds. */
      created: number;
      /** Unix seconds. */
      finished_at: (number | null);
      /** Why the job failed. Null if it did not fail. */
      error: (string | null);
      endpoint_id: string;
      /** `failed`: events whose deliveries to the endpoint all failed or were canceled. `missing`: events that never had a delivery to the endpoint, of the types to which it is subscribed now. `all`: every event of those types. `retrying`: unfinished deliveries with a failed attempt, which wait for the next one; they are attempted immediately, and no new deliveries are created. */
      mode: ('failed' | 'missing' | 'all' | 'retrying');
      /** Event types that the job sends again. An empty list means every type. */
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
      /** Number of events that the digest covers, including those not delivered yet. */
      count: number;
      /** Lower-case hex SHA-256 of the IDs of the counted events, in ascending order, joined by LF, without a trailing LF. */
      sha256: string;
      /** Number of counted events that are still queued and not acknowledged yet. */
      unfinished: number;
      /** Number of counted events whose delivery failed permanently. A replay sends them again. */
      failed: number;
    };
    /** Difference between the events that were sent and the events that a receiver has. */
    Reconciliation: {
      /** Unix seconds. */
      since: number;
      /** Unix seconds. */
      until: number;
      /** Events that were sent to the endpoint but that the receiver does not have, in ascending order. This list is paginated. */
      missing: string[];
      /** Events in `missing` with an unfinished delivery. */
      unfinished: string[];
      /** Events in `missing` whose content was erased. They cannot be sent again. */
      erased: string[];
      /** Events that the receiver has but that were never sent to this endpoint. Listed only on the first page, like `uncounted` and `outside`. */
      unknown: string[];
      /** Events that the receiver has but that no digest includes: test events, and events whose deliveries were all canceled. */
      uncounted: string[];
      /** Events that the receiver has but that are outside the period. They are not compared. */
      outside: string[];
      /** IDs of the deliveries that this request created. Empty unless `replay` was true. */
      delivery_ids: string[];
      has_more: boolean;
      /** Value of `cursor` for the next page. Null on the last page. */
      next_cursor: (string | null);
    };
    /** A conversation with a version of an agent. */
    Conversation: {
      /** ID of the conversation, `conv_…`. */
      id: string;
      /** Creation time in Unix seconds. */
      created: number;
      agent_id: string;
      /** Version of the agent. It does not change during the conversation. */
      agent_version: number;
      /** Whether this is a test conversation. Test conversations emit no events and are excluded from statistics. */
      test: boolean;
      channel: ('chat' | 'voice' | 'sms' | 'web_voice');
      user_id: (string | null);
      variables: { [name: string]: unknown };
      metadata: { [name: string]: string };
      /** ID of the call, `call_…`. Null if there is no call. */
      call_id: (string | null);
      status: ('active' | 'escalated' | 'ended' | 'failed');
      /** Number of turns in the transcript so far. */
      turn_count: number;
      /** Unix seconds. */
      started_at: number;
      /** Unix seconds. */
      ended_at: (number | null);
      /** Duration of the conversation in seconds. Null until the conversation ends. */
      duration_sec: (number | null);
      ended_reason: (string | null);
      /** Outcome of the conversation. Null until the conversation ends. */
      outcome: ('resolved' | 'unresolved' | 'escalated' | 'abandoned' | 'voicemail' | 'failed' | 'unknown' | null);
      csat_predicted: (number | null);
      /** Satisfaction that the user reported as feedback. Null if there is no feedback. */
      csat: (number | null);
      /** Summary of the conversation, written after its end. Null until then. */
      summary: (string | null);
      /** A model's judgement, if the agent requests one. Null if it was not requested or is not complete. */
      judgement: ({
        /** Name of the model provider. Null if no model responded. */
        provider: (string | null);
        model: (string | null);
        /** Topics of the conversation, most important first. */
        topics: string[];
        /** User questions that were not answered. */
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
        /** Why no model judged the conversation. Its summary, outcome and predicted satisfaction then come from the rules. Null if there was no error. */
        error: ({
          code: string;
          detail: string;
        } | null);
      } | null);
    };
    /** A conversation in a list, with its last message and the sentence that matches a search. */
    ListedConversation: {
      /** ID of the conversation, `conv_…`. */
      id: string;
      /** Creation time in Unix seconds. */
      created: number;
      agent_id: string;
      /** Version of the agent. It does not change during the conversation. */
      agent_version: number;
      /** Whether this is a test conversation. Test conversations emit no events and are excluded from statistics. */
      test: boolean;
      channel: ('chat' | 'voice' | 'sms' | 'web_voice');
      user_id: (string | null);
      variables: { [name: string]: unknown };
      metadata: { [name: string]: string };
      /** ID of the call, `call_…`. Null if there is no call. */
      call_id: (string | null);
      status: ('active' | 'escalated' | 'ended' | 'failed');
      /** Number of turns in the transcript so far. */
      turn_count: number;
      /** Unix seconds. */
      started_at: number;
      /** Unix seconds. */
      ended_at: (number | null);
      /** Duration of the conversation in seconds. Null until the conversation ends. */
      duration_sec: (number | null);
      ended_reason: (string | null);
      /** Outcome of the conversation. Null until the conversation ends. */
      outcome: ('resolved' | 'unresolved' | 'escalated' | 'abandoned' | 'voicemail' | 'failed' | 'unknown' | null);
      csat_predicted: (number | null);
      /** Satisfaction that the user reported as feedback. Null if there is no feedback. */
      csat: (number | null);
      /** Summary of the conversation, written after its end. Null until then. */
      summary: (string | null);
      /** A model's judgement, if the agent requests one. Null if it was not requested or is not complete. */
      judgement: ({
        /** Name of the model provider. Null if no model responded. */
        provider: (string | null);
        model: (string | null);
        /** Topics of the conversation, most important first. */
        topics: string[];
        /** User questions that were not answered. */
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
        /** Why no model judged the conversation. Its summary, outcome and predicted satisfaction then come from the rules. Null if there was no error. */
        error: ({
          code: string;
          detail: string;
        } | null);
      } | null);
      /** Last message, from the user, an agent or a human agent. Null if nobody has said anything. */
      last_message: ({
        /** Index of the turn. */
        index: number;
        role: ('user' | 'agent' | 'human');
        /** The first 280 characters of the message. */
        text: string;
      } | null);
      /** Sentence in the transcript or the summary that matches `q`. Null if `q` has no words or matches only `user_id`. */
      match: ({
        /** Index of the turn with the sentence. Null if the sentence is in the summary. */
        index: (number | null);
        /** Role of the speaker. Null if the sentence is in the summary. */
        role: ('user' | 'agent' | 'human' | null);
        /** The matching sentence, at most 280 characters. */
        text: string;
      } | null);
    };
    /** A conversation, with the activation of its version. */
    ConversationRead: {
      /** ID of the conversation, `conv_…`. */
      id: string;
      /** Creation time in Unix seconds. */
      created: number;
      agent_id: string;
      /** Version of the agent. It does not change during the conversation. */
      agent_version: number;
      /** Whether this is a test conversation. Test conversations emit no events and are excluded from statistics. */
      test: boolean;
      channel: ('chat' | 'voice' | 'sms' | 'web_voice');
      user_id: (string | null);
      variables: { [name: string]: unknown };
      metadata: { [name: string]: string };
      /** ID of the call, `call_…`. Null if there is no call. */
      call_id: (string | null);
      status: ('active' | 'escalated' | 'ended' | 'failed');
      /** Number of turns in the transcript so far. */
      turn_count: number;
      /** Unix seconds. */
      started_at: number;
      /** Unix seconds. */
      ended_at: (number | null);
      /** Duration of the conversation in seconds. Null until the conversation ends. */
      duration_sec: (number | null);
      ended_reason: (string | null);
      /** Outcome of the conversation. Null until the conversation ends. */
      outcome: ('resolved' | 'unresolved' | 'escalated' | 'abandoned' | 'voicemail' | 'failed' | 'unknown' | null);
      csat_predicted: (number | null);
      /** Satisfaction that the user reported as feedback. Null if there is no feedback. */
      csat: (number | null);
      /** Summary of the conversation, written after its end. Null until then. */
      summary: (string | null);
      /** A model's judgement, if the agent requests one. Null if it was not requested or is not complete. */
      judgement: ({
        /** Name of the model provider. Null if no model responded. */
        provider: (string | null);
        model: (string | null);
        /** Topics of the conversation, most important first. */
        topics: string[];
        /** User questions that were not answered. */
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
        /** Why no model judged the conversation. Its summary, outcome and predicted satisfaction then come from the rules. Null if there was no error. */
        error: ({
          code: string;
          detail: string;
        } | null);
      } | null);
      /** Last activation of the version before the conversation started. Null if the version was never live (only in tests). */
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
    /** Turns that the message added, and the conversation. */
    MessageAnswer: {
      turns: components['schemas']['Turn'][];
      conversation: components['schemas']['Conversation'];
    };
    /** One turn of a transcript. */
    Turn: {
      index: number;
      role: ('user' | 'agent' | 'tool' | 'human' | 'system');
      /** Name of the human agent who spoke. Only in turns with the role `human`. */
      name?: string;
      text: string;
      /** Milliseconds since the conversation started. */
      started_at_ms: number;
      /** Milliseconds since the conversation started. */
      ended_at_ms: number;
      interrupted: boolean;
      tool_call?: { [name: string]: unknown };
      tool_result?: { [name: string]: unknown };
      /** Knowledge search for the reply: the query, and the passages that the reply uses, best first. */
      retrieval?: {
        query: string;
        top_score: number;
        chunks: {
          source_id: string;
          document_id: string;
          chunk_id: string;
          score: number;
          /** Similarity in meaning between the question and the passage, at most 1. Absent if it was not computed. */
          similarity?: number;
        }[];
        /** Passages that were found but not used for the reply. */
        considered?: {
          source_id: string;
          document_id: string;
          chunk_id: string;
          score: number;
          /** Similarity in meaning between the question and the passage, at most 1. Absent if it was not computed. */
          similarity?: number;
        }[];
      };
      /** Latency of each part of the turn in milliseconds. `turn_ms` is the total. */
      latency?: { [name: string]: number };
      /** Agent that spoke or called the tool. After a handoff, this is the new agent. */
      agent_id?: string;
      agent_version?: number;
      /** Model usage of this turn. */
      model?: {
        /** Name of the model provider, or `default`. */
        provider: string;
        /** Name of the model that replied. */
        name: string;
        finish_reason: string;
        /** Number of model requests. Each round of tool calls adds one. */
        steps: number;
        usage: {
          input_tokens: number;
          output_tokens: number;
          cached_input_tokens: number;
          /** True if Parley estimated the number of tokens, because the response was incomplete. */
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
      /** Number of items of each kind that were removed from the user's text. */
      redacted?: {
        card?: number;
        email?: number;
        phone?: number;
        iban?: number;
      };
    };
    /** A request for a human in a conversation. */
    Escalation: {
      /** ID of the escalation, `esc_…`. */
      id: string;
      /** Creation time in Unix seconds. */
      created: number;
      conversation_id: string;
      agent_id: string;
      /** Whether the conversation is a test. */
      test: boolean;
      /** Your own ID for the user. */
      user_id: (string | null);
      /** The first 280 characters of the user's last two messages before the request, oldest first. Empty in escalations created by earlier releases. */
      user_messages: string[];
      status: ('requested' | 'accepted' | 'declined' | 'timed_out' | 'completed' | 'canceled');
      reason: string;
      /** Summary of the conversation up to the request. Updated when the escalation is accepted, released or completed. */
      summary: string;
      /** Unix seconds. */
      requested_at: number;
      /** Time at which the agent continues if nobody accepts. */
      times_out_at: number;
      /** Unix seconds. */
      accepted_at: (number | null);
      accepted_by: ({
        /** Your own ID for the human agent. */
        id: string;
        /** Name of the human agent, shown in the transcript. */
        name: string;
      } | null);
      /** Label of the team that is asked to accept. Null if any team may accept. */
      team: (string | null);
      /** Maximum number of seconds between heartbeats or messages from the human agent who accepted. Null if no heartbeat is required. */
      heartbeat_sec: (number | null);
      /** Time by which the next heartbeat or message is required. If none arrives by then, the escalation is released and waits for another human agent. */
      heartbeat_due_at: (number | null);
      /** Seconds from the request to the acceptance. Null if nobody has accepted. */
      wait_sec: (number | null);
      /** Unix seconds. */
      finished_at: (number | null);
      /** True if nobody accepted in time and nobody has reviewed the escalation since. False if another team was asked next. */
      missed: boolean;
      /** Time of the first review after the escalation was missed. Null if nobody has reviewed it. */
      reviewed_at: (number | null);
      /** Actor of the first review, `api:key_…` or `session:<name>`. */
      reviewed_by: (string | null);
    };
    /** A link that lets a user rate one conversation. */
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
    /** The agent's reply. */
    ChatCompletion: {
      /** ID of the completion, `chatcmpl-…`. */
      id: string;
      object: 'chat.completion';
      /** Unix seconds. */
      created: number;
      /** Name of the model, as given in the request. */
      model: string;
      /** Agent version that replied, such as `agt_…@3`. */
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
        /** The invalid field, such as `messages[0].content`. */
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
      /** ID of the agent or the version: `agt_…` or `agt_…@3`. */
      id: string;
      object: 'model';
      /** Creation time of the agent, in Unix seconds. */
      created: number;
      /** Namespace of the agent. */
      owned_by: string;
      /** Display name of the agent. */
      name: string;
    };
    /** An erased conversation and its canceled deliveries. */
    ErasedConversation: {
      /** ID of the conversation, `conv_…`. */
      id: string;
      /** Number of canceled webhook deliveries. */
      canceled_count: number;
      /** The first 1,000 canceled deliveries, ordered by event. */
      canceled: {
        event_id: string;
        event_type: ('conversation.started' | 'conversation.ended' | 'conversation.transcript.ready' | 'escalation.requested' | 'escalation.accepted' | 'knowledge.gap.detected' | 'knowledge.source.synced' | 'agent.published' | 'agent.rolled_back');
        delivery_id: string;
        endpoint_id: string;
      }[];
    };
    /** A private note that the user never sees. */
    EscalationNote: {
      /** ID of the note, `note_…`. */
      id: string;
      /** Creation time in Unix seconds. */
      created: number;
      conversation_id: string;
      escalation_id: string;
      /** Actor that added the note, `api:key_…` or `session:<name>`. */
      actor: string;
      /** Human agent who wrote the note. Null if the request named nobody. */
      by: ({
        /** Your own ID for the human agent. */
        id: string;
        /** Name of the human agent, shown in the transcript. */
        name: string;
      } | null);
      text: string;
    };
    /** A reply prepared in advance. It may contain placeholders. */
    CannedReply: {
      /** ID of the canned reply, `reply_…`. */
      id: string;
      /** Creation time in Unix seconds. */
      created: number;
      /** Time of the last change in Unix seconds. */
      updated: number;
      title: string;
      text: string;
    };
    /** Result of a single tool call. */
    ToolCallResult: {
      /** Whether the tool responded with a 2xx status and JSON or text. */
      ok: boolean;
      /** HTTP status of the response. Null if the service did not respond. */
      status: (number | null);
      /** Why the call failed. Null if it succeeded. */
      error: (string | null);
      /** Response body, as JSON or text. Null if it cannot be read. */
      body?: unknown;
      /** Reason why the tool requests a human, from its `parley-escalate` header. Null if there is none. */
      escalate: (string | null);
      /** The text that the model would read. */
      result: string;
      /** Duration of the call in milliseconds. */
      duration_ms: number;
      /** The request that was sent. Headers that contain secrets or signatures are shown as `[hidden]`. Null if none was sent. */
      request: ({
        method: string;
        url: string;
        headers: { [name: string]: string };
        body: (string | null);
      } | null);
    };
    /** A telephone call with an agent. */
    Call: {
      /** ID of the call: `call_…`. */
      id: string;
      /** Creation time in Unix seconds. */
      created: number;
      agent_id: string;
      /** The call’s conversation. Null until the call is answered. */
      conversation_id: (string | null);
      direction: ('inbound' | 'outbound');
      from: (string | null);
      to: (string | null);
      status: ('queued' | 'ringing' | 'in_progress' | 'transferring' | 'completed' | 'busy' | 'no_answer' | 'failed' | 'canceled');
      /** Why the call ended: the `ended_reason` of its conversation (`api` for an API request, `user_hangup`, `voicemail`, `transferred` …), or `busy`, `no_answer`, `dial_failed`, `canceled` or `platform_error`. */
      ended_reason: (string | null);
      /** Latest transfer to another number. Null if the call was not transferred. */
      transfer: ({
        /** Telephone number in E.164 format. Null after erasure. */
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
      /** Seconds from the answer to the end of the call. Null if it was not answered or has not ended. */
      duration_sec: (number | null);
    };
    /** Statistics about a customer. */
    Customer: {
      user_id: string;
      /** Start time of the first conversation or call. Null if there are only test conversations. */
      first_seen_at: (number | null);
      /** Time of the last turn or the start of the last call, whichever is later. Null if there are only test conversations. */
      last_seen_at: (number | null);
      conversations: {
        /** Number of conversations, excluding test conversations. */
        total: number;
        /** Number of conversations that have not ended. */
        active: number;
        /** Number of test conversations. No other count includes them. */
        tests: number;
        /** Number of ended conversations by outcome. */
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
        /** Number of calls, answered or not. */
        total: number;
        /** Number of calls that were answered. */
        answered: number;
      };
      escalations: {
        /** Number of escalations in the counted conversations. */
        total: number;
        /** Number of escalations that nobody has accepted yet. */
        waiting: number;
        /** Number of escalations that somebody accepted. */
        accepted: number;
        /** Number of escalations that nobody accepted in time. */
        missed: number;
      };
      csat: {
        /** Number of conversations that the user rated. */
        count: number;
        /** Average rating by the user. Null if there is no rating. */
        average: (number | null);
      };
      /** Up to 20 unanswered questions from the latest 100 conversations, newest conversation first. */
      open_questions: {
        conversation_id: string;
        question: string;
      }[];
      /** Whether there are more than 10,000 conversations or calls. If true, the counts cover only the newest 10,000. */
      truncated: boolean;
    };
    /** A conversation or call of a customer. */
    CustomerActivity: {
      /** ID of the conversation, or of the call if there is no conversation. */
      id: string;
      /** `call` is a call without a conversation, such as one that nobody answered. */
      type: ('conversation' | 'call');
      /** Creation time in Unix seconds. */
      created: number;
      conversation: (components['schemas']['Conversation'] & ({ [name: string]: unknown } | null));
      /** The call. Null for a conversation without a call. */
      call: ({
        /** ID of the call: `call_…`. */
        id: string;
        /** Creation time in Unix seconds. */
        created: number;
        agent_id: string;
        /** The call’s conversation. Null until the call is answered. */
        conversation_id: (string | null);
        direction: ('inbound' | 'outbound');
        from: (string | null);
        to: (string | null);
        status: ('queued' | 'ringing' | 'in_progress' | 'transferring' | 'completed' | 'busy' | 'no_answer' | 'failed' | 'canceled');
        /** Why the call ended: the `ended_reason` of its conversation (`api` for an API request, `user_hangup`, `voicemail`, `transferred` …), or `busy`, `no_answer`, `dial_failed`, `canceled` or `platform_error`. */
        ended_reason: (string | null);
        /** Latest transfer to another number. Null if the call was not transferred. */
        transfer: ({
          /** Telephone number in E.164 format. Null after erasure. */
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
        /** Seconds from the answer to the end of the call. Null if it was not answered or has not ended. */
        duration_sec: (number | null);
      } | null);
      /** Escalations of the conversation, newest first. */
      escalations: components['schemas']['Escalation'][];
    };
    /** All data about a customer. */
    CustomerExport: {
      user_id: string;
      /** Unix seconds. */
      exported_at: number;
      /** Conversations and calls, newest first, including test conversations. */
      activity: components['schemas']['ExportedActivity'][];
    };
    /** A conversation or call of a customer, with the transcript and the private notes. */
    ExportedActivity: {
      /** ID of the conversation, or of the call if there is no conversation. */
      id: string;
      /** `call` is a call without a conversation, such as one that nobody answered. */
      type: ('conversation' | 'call');
      /** Creation time in Unix seconds. */
      created: number;
      conversation: (components['schemas']['Conversation'] & ({ [name: string]: unknown } | null));
      /** The call. Null for a conversation without a call. */
      call: ({
        /** ID of the call: `call_…`. */
        id: string;
        /** Creation time in Unix seconds. */
        created: number;
        agent_id: string;
        /** The call’s conversation. Null until the call is answered. */
        conversation_id: (string | null);
        direction: ('inbound' | 'outbound');
        from: (string | null);
        to: (string | null);
        status: ('queued' | 'ringing' | 'in_progress' | 'transferring' | 'completed' | 'busy' | 'no_answer' | 'failed' | 'canceled');
        /** Why the call ended: the `ended_reason` of its conversation (`api` for an API request, `user_hangup`, `voicemail`, `transferred` …), or `busy`, `no_answer`, `dial_failed`, `canceled` or `platform_error`. */
        ended_reason: (string | null);
        /** Latest transfer to another number. Null if the call was not transferred. */
        transfer: ({
          /** Telephone number in E.164 format. Null after erasure. */
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
        /** Seconds from the answer to the end of the call. Null if it was not answered or has not ended. */
        duration_sec: (number | null);
      } | null);
      /** Escalations of the conversation, newest first. */
      escalations: components['schemas']['Escalation'][];
      /** Turns of the conversation. Null if there is no conversation. */
      transcript: ({
        turns: components['schemas']['Turn'][];
      } | null);
      /** Private notes about the escalations, oldest first. */
      notes: components['schemas']['EscalationNote'][];
    };
    /** The erasure of a customer. It continues in the background after the response. */
    CustomerErasure: {
      /** ID of the erasure, `era_…`. */
      id: string;
      /** Creation time in Unix seconds. */
      created: number;
      /** `user_id` of the customer. Null once the erasure is done. */
      user_id: (string | null);
      status: ('running' | 'done');
      /** What happens to undelivered events about the customer, as chosen in the request. */
      events: ('deliver' | 'cancel');
      /** Progress of the erasure. `total` grows if more conversations or calls are found. */
      progress: {
        /** Number of conversations, and of calls without a conversation, to erase. */
        total: number;
        /** Number of conversations and calls erased so far. */
        done: number;
      };
      /** Number of webhook deliveries canceled so far. */
      canceled_count: number;
      /** Unix seconds. */
      finished_at: (number | null);
    };
    /** A knowledge source that agents use to answer questions. */
    KnowledgeSource: {
      /** ID of the source, `ks_…`. */
      id: string;
      /** Creation time in Unix seconds. */
      created: number;
      /** Time of the last change in Unix seconds. */
      updated: number;
      /** DNS label. It never changes. */
      name: string;
      type: ('website' | 'file' | 'text' | 'integration');
      /** Text of a source of type `text`, up to a megabyte. Omitted from lists and from the response to a sync request. */
      text?: (string | null);
      /**  */
      website: ({
        /** Address of the first page. Must be an http or https URL in ASCII, such as https://example.com/hook, without a user name or password. */
        url: string;
        /** Maximum number of links between the first page and any other page. 0 reads only the first page. Default: 5. */
        max_depth?: number;
        /** Maximum number of pages to read. Default: 500. */
        max_pages?: number;
        /** Path patterns to include, such as /help/*. */
        include?: string[];
        /** Path patterns to exclude. */
        exclude?: string[];
        /** Minimum time between two requests, in milliseconds. 0 allows concurrent requests. Default: 500. */
        delay_ms?: number;
      } | null);
      /**  */
      integration: ({
        /** Address of the feed to read documents from. Must be an http or https URL in ASCII, such as https://example.com/hook, without a user name or password. */
        url: string;
        /** Additional headers for requests. */
        headers?: { [name: string]: string };
        /** Secret whose value is sent as a bearer token. It must have the label parley.dev/allow: "true". */
        secret_ref?: {
          /** Name of the Secret in the same namespace. Must be a DNS name: lower-case letters, digits, hyphens and dots, with a letter or digit at both ends. */
          name: string;
          /** Key in the Secret. Must consist of letters, digits, dots, hyphens and underscores. */
          key: string;
        };
        /** Secret with which requests are signed, in the same way as events. It must have the label parley.dev/allow: "true". */
        signing_secret_ref?: {
          /** Name of the Secret in the same namespace. Must be a DNS name: lower-case letters, digits, hyphens and dots, with a letter or digit at both ends. */
          name: string;
          /** Key in the Secret. Must consist of letters, digits, dots, hyphens and underscores. */
          key: string;
        };
      } | null);
      /** Must be @hourly, @daily, @weekly, @monthly or a cron expression of five fields, such as 0 3 * * *. */
      schedule: (string | null);
      /**  */
      embeddings: ({
        /** Name of a ModelProvider in the same namespace, or `default` for the default provider. Must be a DNS label: at most 63 lower-case letters, digits and hyphens, without a hyphen at either end. */
        provider: string;
        /** Embedding model. Defaults to the provider's embeddings.defaultModel. */
        model?: string;
      } | null);
      metadata: { [name: string]: string };
      managed_by: ('api' | 'kubernetes' | 'file');
      /** Whether the declared content is indexed. */
      ready: boolean;
      status_message: (string | null);
      /** Indexing state. `pending` means that nothing is indexed yet. */
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
      /** The unfinished sync of a website or an integration. Null if there is none. */
      sync: ({
        /** ID of the sync, `sync_…`. */
        id: string;
        status: ('queued' | 'running');
        /** Unix seconds. */
        requested_at: number;
        /** Number of documents found so far. */
        found: number;
        /** Number of documents processed so far. */
        read: number;
      } | null);
      /** Time of the next automatic sync, by schedule or as a retry after a failure. Null if none is planned. */
      next_sync_at: (number | null);
    };
    /** A document in a knowledge source. */
    KnowledgeDocument: {
      /** ID of the document, `doc_…`. */
      id: string;
      /** Creation time in Unix seconds. */
      created: number;
      /** Time of the last change in Unix seconds. */
      updated: number;
      source_id: string;
      /** Name of the document within its source, such as a file name. */
      path: string;
      title: string;
      /** Address where people can open the document. Null if it has none. */
      url: (string | null);
      /** ISO 639-1 code of the language, as declared or detected. Null if it is not known. */
      language: (string | null);
      bytes: number;
      chunks: number;
    };
    /** One sync of a website or an integration. */
    KnowledgeSync: {
      /** ID of the sync, `sync_…`. */
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
      /** Number of documents processed so far: the sum of `unchanged`, `changed`, `failed` and `skipped`. */
      read: number;
      unchanged: number;
      /** Number of new or changed documents. */
      changed: number;
      /** Number of documents that could not be read. Their indexed content stays. */
      failed: number;
      /** Number of documents that must not be indexed. Any content indexed from them is removed. */
      skipped: number;
      /** The first 100 failed or skipped documents. Omitted from lists. */
      problems?: {
        path: string;
        kind: ('failed' | 'skipped');
        reason: string;
      }[];
      /** Machine-readable failure reason. Null unless the sync failed. */
      reason: (string | null);
      /** Why the sync failed or was canceled. Null otherwise. */
      error: (string | null);
      /** Number of documents after the sync, and how many it added, updated, removed or failed to read. Null unless the sync succeeded. */
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
      /** ID of the source (`ks_…`), or of the gap (`gap_…`) if the passage is the answer to a gap. */
      source_id: string;
      /** ID of the document (`doc_…`), or of the gap (`gap_…`) if the passage is the answer to a gap. */
      document_id: string;
      /** ID of the passage, `chk_…`. */
      chunk_id: string;
      /** Headings above the passage, or the question if the passage is the answer to a gap. */
      heading: string;
      text: string;
      /** Estimated probability that the passage answers the question. In a search by words only, never higher than the score of a hit that ranks above this one. */
      score: number;
      /** Similarity in meaning of the question and the passage, at most 1. Null if it was not computed. */
      similarity: (number | null);
      why: components['schemas']['SearchHitReason'];
      /** Whether a reply would use this passage, according to the agent's `top_k` and `min_score`. Null if the request has no `agent_id`. */
      given: (boolean | null);
    };
    /** Why a passage was found. */
    SearchHitReason: {
      /** Words of the question that the passage contains, highest weight first. */
      matched: {
        /** Stem of a word in the question. */
        word: string;
        /** Matching word in the passage: the same word, a spelling correction, or a synonym. */
        as: string;
        in: ('heading' | 'text' | 'both');
        /** This word's share of the question's total weight. */
        weight: number;
      }[];
      /** Stems of the question's words that the passage does not contain. */
      missing: string[];
      /** Similarity of the question and the heading. Null if the heading is not a question. */
      likeness: (number | null);
    };
    /** An indexed passage. */
    KnowledgeChunk: {
      /** ID of the passage, `chk_…`. */
      id: string;
      /** Creation time in Unix seconds. */
      created: number;
      /** ID of the source (`ks_…`), or of the gap (`gap_…`) if the passage is the answer to a gap. */
      source_id: string;
      /** ID of the document (`doc_…`), or of the gap (`gap_…`) if the passage is the answer to a gap. */
      document_id: string;
      /** ID of the passage, `chk_…`. */
      chunk_id: string;
      /** Headings above the passage, or the question if the passage is the answer to a gap. */
      heading: string;
      text: string;
      /** Title of the document. Null if the passage is the answer to a gap. */
      document_title: (string | null);
      /** Name of the document within its source. */
      path: (string | null);
      /** Address where people can open the document. Null if it has no address. */
      url: (string | null);
    };
    /** A question that an agent could not answer. */
    KnowledgeGap: {
      /** ID of the gap, `gap_…`. */
      id: string;
      /** Creation time in Unix seconds. */
      created: number;
      /** Conversation in which the question was first asked. */
      conversation_id: string;
      agent_id: string;
      question: string;
      /** Score of the best passage when the question was first asked. 0 if no passage was found. */
      top_score: number;
      status: ('open' | 'resolved');
      answer: (string | null);
      /** How often the question was asked. Immediate repeats in the same conversation count once. */
      count: number;
      /** Unix seconds. */
      last_asked_at: number;
      /** Unix seconds. */
      resolved_at: (number | null);
    };
    /** A gap with the wordings of its question and the closest passages. */
    KnowledgeGapDetail: {
      /** ID of the gap, `gap_…`. */
      id: string;
      /** Creation time in Unix seconds. */
      created: number;
      /** Conversation in which the question was first asked. */
      conversation_id: string;
      agent_id: string;
      question: string;
      /** Score of the best passage when the question was first asked. 0 if no passage was found. */
      top_score: number;
      status: ('open' | 'resolved');
      answer: (string | null);
      /** How often the question was asked. Immediate repeats in the same conversation count once. */
      count: number;
      /** Unix seconds. */
      last_asked_at: number;
      /** Unix seconds. */
      resolved_at: (number | null);
      /** Up to 20 wordings of the question, most frequent first. */
      questions: {
        text: string;
        count: number;
        /** Unix seconds. */
        last_asked_at: number;
      }[];
      /** The passages that were closest to the question when it was first asked: at most 5, best first. */
      closest: {
        /** ID of the source (`ks_…`), or of the gap (`gap_…`) if the passage is the answer to a gap. */
        source_id: string;
        /** ID of the document (`doc_…`), or of the gap (`gap_…`) if the passage is the answer to a gap. */
        document_id: string;
        /** ID of the passage, `chk_…`. */
        chunk_id: string;
        /** Headings above the passage. Null if the passage no longer exists. */
        heading: (string | null);
        /** Current text of the passage. Null if the passage no longer exists. */
        text: (string | null);
        /** Score of the passage when the question was first asked. */
        score: number;
      }[];
    };
    /** Which wordings of a gap have an answer now. */
    KnowledgeGapCheck: {
      /** Whether every wording of the question has an answer now. */
      answered: boolean;
      questions: {
        question: string;
        /** Whether a reply to this wording would use a passage. */
        answered: boolean;
        /** Score of the best passage, even if a reply would not use it. 0 if no passage was found. */
        score: number;
        /** ID of the source (`ks_…`), or of the gap (`gap_…`) if the passage is the answer to a gap. Null if there is no answer. */
        source_id: (string | null);
        /** ID of the document (`doc_…`), or of the gap (`gap_…`) if the passage is the answer to a gap. Null if there is no answer. */
        document_id: (string | null);
        /** ID of the first passage that a reply would use, `chk_…`. Null if there is no answer. */
        chunk_id: (string | null);
      }[];
    };
    /** Result of testing a model provider. */
    ModelProviderTest: {
      /** Whether the provider answered. */
      ok: boolean;
      /** `chat` if a message was sent to the default model. `models` if the provider has no default model, so that only the list of models was requested. */
      checked: ('chat' | 'models');
      /** Model that answered. */
      model: (string | null);
      /** First 200 characters of the answer. */
      text: (string | null);
      /** Duration of the request, in milliseconds. */
      latency_ms: number;
      /** Time to the first part of the answer, in milliseconds. */
      first_token_ms: (number | null);
      /** The provider's models, at most 500. Null if it does not list them. */
      models: (string[] | null);
      error: ({
        /** Error code, the same as in the `error` of a turn. */
        code: ('model_unreachable' | 'model_timeout' | 'model_unauthorized' | 'model_rate_limited' | 'model_refused' | 'model_content_filter' | 'model_failed' | 'model_invalid_answer');
        /** The cause of the error and what to do about it. */
        message: string;
      } | null);
    };
    /** A provider of models. */
    ModelProvider: {
      /** ID of the resource, `mp_…`. */
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
        /** Name of the Secret in the same namespace. Must be a DNS name: lower-case letters, digits, hyphens and dots, with a letter or digit at both ends. */
        name: string;
        /** Key in the Secret. Must consist of letters, digits, dots, hyphens and underscores. */
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
        /** Default chat model for agents, as the provider names it. */
        default_model?: string;
        /** Chat models that agents may use. If absent, agents may use any model. */
        models?: string[];
        /** Timeouts for a response of a chat model. */
        timeouts?: {
          /** Maximum wait for the first part of a response, in milliseconds. Default: 15000. */
          first_token_ms?: number;
          /** Maximum wait between two parts of a response, in milliseconds. Default: 15000. */
          between_tokens_ms?: number;
          /** Maximum duration of a response, in milliseconds. Default: 120000. */
          total_ms?: number;
        };
        /** Token prices for all chat models of the provider. They determine the cost of a turn. */
        pricing?: {
          /** Currency of the prices (ISO 4217). Must be a currency code of three capital letters, such as USD. */
          currency: string;
          /** Price per million input tokens. */
          input_per_million_tokens: number;
          /** Price per million output tokens. */
          output_per_million_tokens: number;
          /** Price per million input tokens that the provider reads from its cache. Defaults to the price of input tokens. */
          cached_input_per_million_tokens?: number;
        };
      } | null);
      /**  */
      embeddings: ({
        /** Default embedding model for knowledge sources. */
        default_model: string;
        /** Number of embedding dimensions to request, for models that support it. Defaults to the model's own number. */
        dimensions?: number;
        /** Maximum number of texts in one request. Default: 64. */
        batch_size?: number;
      } | null);
      /**  */
      speech: ({
        /** Default speech model for agents. */
        default_model: string;
        /** Default voice for agents, as the provider names it. */
        default_voice: string;
        /** Speech models that agents may use. If absent, agents may use any model. */
        models?: string[];
      } | null);
      /**  */
      transcription: ({
        /** Default transcription model for agents. */
        default_model: string;
        /** Transcription models that agents may use. If absent, agents may use any model. */
        models?: string[];
      } | null);
      /**  */
      limits: ({
        /** Maximum number of concurrent requests from each API process. Unlimited if absent. */
        max_concurrent_requests?: number;
      } | null);
      headers: { [name: string]: string };
      query: { [name: string]: string };
      metadata: { [name: string]: string };
      managed_by: ('api' | 'kubernetes' | 'file');
      /** Whether the declaration is active and the provider responds. */
      ready: boolean;
      status_message: (string | null);
    };
    /** An account at a carrier and its numbers. */
    TelephonyProvider: {
      /** ID of the resource, `tp_…`. */
      id: string;
      /** Creation time in Unix seconds. */
      created: number;
      /** Time of the last change in Unix seconds. */
      updated: number;
      /** Name by which calls refer to the provider. It never changes. */
      name: string;
      type: ('twilio' | 'telnyx' | 'plivo');
      /** ID of the account at the carrier. */
      account_id: string;
      /**  */
      auth_token_secret_ref: ({
        /** Name of the Secret in the same namespace. Must be a DNS name: lower-case letters, digits, hyphens and dots, with a letter or digit at both ends. */
        name: string;
        /** Key in the Secret. Must consist of letters, digits, dots, hyphens and underscores. */
        key: string;
      } | null);
      /** Must be the account's public key as the carrier shows it: 44 characters, which are 32 bytes in base64. */
      public_key: (string | null);
      /** Must be an account ID made up of letters, digits, hyphens and underscores. */
      application_id: (string | null);
      /** Must be an http or https URL in ASCII, such as https://api.example.com/v1, without a user name, password, query or fragment. */
      api_url: (string | null);
      /**  */
      outbound: ({
        /** Countries whose numbers may be called, as ISO 3166-1 codes. */
        countries: string[];
        /** Maximum number of concurrent outbound calls. Default: 10. */
        max_concurrent_calls?: number;
        /** Maximum number of calls placed per minute. Default: 60. */
        max_calls_per_minute?: number;
        /** Seconds to ring before the call counts as not answered. Default: 30. */
        ring_sec?: number;
        /** Text spoken if voicemail answers. Default: none. */
        voicemail_message?: string;
      } | null);
      /**  */
      inbound: ({
        /** Maximum number of concurrent inbound calls. Default: 100. */
        max_concurrent_calls?: number;
        /** Text spoken to callers while the maximum number of inbound calls is in progress. Default: a busy tone. */
        busy_message?: string;
        /** Text spoken to callers if no agent can answer. */
        closed_message?: string;
      } | null);
      /** The declared numbers. */
      numbers: {
        /** Telephone number in E.164 format. */
        number: string;
        /** Name of the agent that answers the number. */
        agent: string;
        /** Version of the agent. If absent, the live version answers. */
        version?: number;
        /** Opening hours, as declared. If absent, calls to the number are always answered. */
        hours?: { [name: string]: unknown };
      }[];
      metadata: { [name: string]: string };
      managed_by: ('api' | 'kubernetes' | 'file');
      /** Whether the declaration is active, including all its numbers. */
      ready: boolean;
      status_message: (string | null);
    };
    /** Token and WebSocket address that a web page uses to open talks with an agent. */
    TalkToken: {
      /** The token, `talk_…`. The page sends it in the first frame on the socket. */
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
      /** Contains `voice` if ModelProviders handle the agent's speech recognition and synthesis. */
      modes: ('chat' | 'voice')[];
    };
    /** An API key. It is valid only in its own namespace. */
    ApiKey: {
      /** ID of the key, `key_…`. */
      id: string;
      /** Creation time in Unix seconds. */
      created: number;
      name: string;
      scopes: ('read' | 'write' | 'publish' | 'replay' | 'keys')[];
      /** First characters of the key, to tell keys apart. */
      prefix: string;
      /** Time of the last use, accurate to about a minute. */
      last_used_at: (number | null);
      /** Time at which the key expires, as set on creation or by a rotation. Null if it does not expire. */
      expires_at: (number | null);
    };
    /** A new API key, including the key itself. */
    CreatedApiKey: {
      /** ID of the key, `key_…`. */
      id: string;
      /** Creation time in Unix seconds. */
      created: number;
      name: string;
      scopes: ('read' | 'write' | 'publish' | 'replay' | 'keys')[];
      /** First characters of the key, to tell keys apart. */
      prefix: string;
      /** Time of the last use, accurate to about a minute. */
      last_used_at: (number | null);
      /** Time at which the key expires, as set on creation or by a rotation. Null if it does not expire. */
      expires_at: (number | null);
      /** The key itself. Only this response shows it. */
      key: string;
    };
    /** A session of a person who signed in. It has the scopes of its key. */
    Session: {
      /** ID of the session, `ses_…`. */
      id: string;
      /** Creation time in Unix seconds. */
      created: number;
      /** Name of the person who signed in. */
      name: string;
      /** ID of the key with which the session was created, `key_…`. */
      api_key_id: string;
      /** Scopes of the session's key. */
      scopes: ('read' | 'write' | 'publish' | 'replay' | 'keys')[];
      namespace: string;
      /** Time at which the session ends even if it is still in use. It is never later than the expiry of its key. */
      expires_at: number;
      /** Time at which the session ends unless it is used before then. */
      idle_expires_at: number;
      /** Time of the last use, accurate to about 30 seconds. */
      last_seen_at: number;
    };
    /** The caller and its scopes. */
    Me: {
      namespace: string;
      /** Name of the caller in histories: `api:key_…` or `session:<name>`. */
      actor: string;
      /** Name of the signed-in person. Null without a session. */
      name: (string | null);
      /** Scopes of the caller. */
      scopes: ('read' | 'write' | 'publish' | 'replay' | 'keys')[];
      /** The API key of the request, or the key with which the session was created. */
      api_key: {
        /** ID of the key, `key_…`. */
        id: string;
        name: string;
        /** First characters of the key, to tell keys apart. */
        prefix: string;
        /** Null if the key does not expire. */
        expires_at: (number | null);
      };
      /** The session of the caller. Null if the caller sent an API key. */
      session: ({
        /** ID of the session, `ses_…`. */
        id: string;
        /** Creation time in Unix seconds. */
        created: number;
        /** Time at which the session ends even if it is still in use. It is never later than the expiry of its key. */
        expires_at: number;
        /** Time at which the session ends unless it is used before then. */
        idle_expires_at: number;
      } | null);
      /** Version of the server that responds. */
      version: string;
    };
    /** An entry in the append-only audit log. */
    AuditLine: {
      /** ID of the entry, `aud_…`. */
      id: string;
      /** Creation time in Unix seconds. */
      created: number;
      /** Actor: `api:key_…`, `session:<name>`, `kubernetes:<manager>`, `file`, `cli` or `environment`. */
      actor: string;
      /** ID of the session, `ses_…`. Null if the action was not performed in a session. The `session.created` entry names the key with which the session was created. */
      session_id: (string | null);
      /** Action, such as `api_key.rotated`. */
      action: string;
      /** ID of the object that the action affected. */
      target: string;
      /** Changed fields with their old values. Null if the object did not exist. */
      before: ({ [name: string]: unknown } | null);
      /** Changed fields with their new values. Null if the object no longer exists. */
      after: ({ [name: string]: unknown } | null);
      detail: { [name: string]: unknown };
      /** `unknown` if the action began but its result is not known. */
      outcome: ('done' | 'unknown');
      /** IP address from which the request came. It may belong to a proxy. */
      address: (string | null);
      user_agent: (string | null);
      request_id: (string | null);
    };
    /** The limits of a namespace and their current usage. */
    Usage: {
      /** Quotas of the namespace, and how much of each is used. */
      quotas: {
        agents: components['schemas']['Used'];
        webhook_endpoints: components['schemas']['Used'];
        knowledge_sources: components['schemas']['Used'];
        model_providers: components['schemas']['Used'];
        telephony_providers: components['schemas']['Used'];
        knowledge_bytes: components['schemas']['Used'];
        api_keys: components['schemas']['Used'];
      };
      /** Limits on concurrent work, and how much is in progress in the process that handles this request. `replay_jobs` counts the jobs in all processes. */
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
      /** Maximum for `used`. Null means unlimited. */
      limit: (number | null);
      used: number;
    };
    /** Limits on concurrent work, for the API key and for the namespace. */
    UsedShares: {
      /** Limit and current usage of the calling API key. */
      api_key: {
        /** Maximum for `used`. Null means unlimited. */
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
          /** Returns only agents that name this model provider, directly or as a fallback. */
          model_provider?: string;
          /** Maximum number of items on a page. */
          limit?: number;
          /** The `next_cursor` of the previous page. */
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
          /** Name, unique in the namespace. Default: derived from `display_name`. Must be a DNS label: at most 63 lower-case letters, digits and hyphens, without a hyphen at either end. */
          name?: string;
          /** Display name of the agent. */
          display_name?: string;
          /** Instructions that the agent follows. */
          prompt: string;
          /** Voice of the agent: text to speech. */
          voice?: {
            /** Speech provider (TTS): a ModelProvider with `speech` in the same namespace, or a provider that the carrier supports. */
            provider?: string;
            /** Speech model. Defaults to the provider's default model. */
            model?: string;
            /** The provider's ID for the voice. */
            voice_id?: string;
            /** Language that the voice speaks, as a BCP 47 tag. Must be a language tag, such as en or pt-BR. */
            language?: string;
            /** Speaking rate. 1 is normal speed. */
            speed?: number;
            /** Fallbacks in order of preference, used when the first provider fails. */
            fallback?: {
              /** Provider to fall back to. Defaults to the voice's provider. */
              provider?: string;
              /** Speech model. Defaults to the provider's default model. */
              model?: string;
              /** The provider's ID for the voice. Defaults to the agent's voice if the provider is the same, otherwise to the provider's default voice. */
              voice_id?: string;
            }[];
          };
          /** Transcription of what users say: speech to text. */
          transcriber?: {
            /** Transcription provider (STT): a ModelProvider with `transcription` in the same namespace, or a provider that the carrier supports. */
            provider?: string;
            /** Transcription model. Defaults to the provider's default model. */
            model?: string;
            /** Language that users speak, as a BCP 47 tag. Must be a language tag, such as en or pt-BR. */
            language?: string;
            /** Names and words that users are likely to say and that are hard to recognize. */
            keywords?: string[];
            /** Whether to transcribe the agent's interrupted sentence, in order to find the last word that was played before the interruption. This takes two requests. If false, the position is estimated from the audio. Default: false. */
            retranscribe_interrupted?: boolean;
            /** Fallbacks in order of preference, used when the first provider fails. */
            fallback?: {
              /** Provider to fall back to. Defaults to the transcriber's provider. */
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
            /** JSON Schema of the arguments that the model fills in; at most 64 KiB, 2000 members and elements, and 64 levels. */
            parameters?: { [name: string]: unknown };
            /** URL that a webhook tool calls. Must be an http or https URL in ASCII, such as https://example.com/hook, without a user name or password. */
            url?: string;
            /** HTTP method of a webhook tool. Default: POST. */
            method?: ('GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE');
            /** Extra headers that a webhook tool sends. */
            headers?: { [name: string]: string };
            /** Secret whose value is sent as a bearer token. It must have the label parley.dev/allow: "true". */
            secret_ref?: {
              /** Name of the Secret in the same namespace. Must be a DNS name: lower-case letters, digits, hyphens and dots, with a letter or digit at both ends. */
              name: string;
              /** Key in the Secret. Must consist of letters, digits, dots, hyphens and underscores. */
              key: string;
            };
            /** Secret with which requests are signed, in the same way as events. It must have the label parley.dev/allow: "true". */
            signing_secret_ref?: {
              /** Name of the Secret in the same namespace. Must be a DNS name: lower-case letters, digits, hyphens and dots, with a letter or digit at both ends. */
              name: string;
              /** Key in the Secret. Must consist of letters, digits, dots, hyphens and underscores. */
              key: string;
            };
            /** Maximum wait for the tool's whole response, in milliseconds. Default: 8000. */
            timeout_ms?: number;
            /** Agent in the same namespace to which a handoff tool hands over the conversation. Must be a DNS label: at most 63 lower-case letters, digits and hyphens, without a hyphen at either end. */
            agent?: string;
            /** Version of the handoff's target agent. Default: the target's active version at the time when this agent's version goes live. */
            version?: number;
            /** Bearer token, which responses never show. Parley stores it in a Secret of its own and sets `secret_ref`. Must have 1 to 8192 visible ASCII characters without spaces. */
            secret?: string;
            /** Signing key: `whsec_` followed by 24 to 64 bytes in base64. Responses never show it. Parley stores it in a Secret of its own and sets `signing_secret_ref`. */
            signing_secret?: string;
          }[];
          /** The agent's first message. */
          first_message?: string;
          /** Whether the user can interrupt the first message in a call. Default: true. */
          first_message_interruptible?: boolean;
          /** Language of the agent, as a BCP 47 tag. Must be a language tag, such as en or pt-BR. */
          language?: string;
          /** The language model and its settings. */
          model?: {
            /** ModelProvider in the same namespace. If absent or `default`, the default provider from the operator's settings is used. Must be a DNS label: at most 63 lower-case letters, digits and hyphens, without a hyphen at either end. */
            provider?: string;
            /** Name of the model. Defaults to the provider's default model. */
            name?: string;
            /** Sampling temperature. */
            temperature?: number;
            /** Maximum number of tokens in one reply. */
            max_tokens?: number;
            /** Fallback models in order of preference, used when the first model cannot answer. */
            fallback?: {
              /** ModelProvider in the same namespace. If absent or `default`, the default provider from the operator's settings is used. Must be a DNS label: at most 63 lower-case letters, digits and hyphens, without a hyphen at either end. */
              provider?: string;
              /** Name of the model. Defaults to the provider's default model. */
              name?: string;
            }[];
          };
          /** Knowledge that the agent uses to answer. */
          knowledge?: {
            /** If true, the agent uses every knowledge source in the namespace, including ones added later. */
            all?: boolean;
            /** Selects the knowledge sources in the namespace by their metadata. */
            selector?: {
              /** Key-value pairs that a source's metadata must contain. */
              match_metadata: { [name: string]: string };
            };
            /** IDs of the knowledge sources that the agent uses. */
            source_ids?: string[];
            /** Names of the knowledge sources that the agent uses, in the same namespace. */
            source_names?: string[];
            /** Maximum number of passages used for one reply. */
            top_k?: number;
            /** Minimum score of a passage. If no passage reaches it, the question counts as a knowledge gap. */
            min_score?: number;
          };
          /** When and how a human takes over. */
          escalation?: {
            /** Rules that request a human. */
            rules?: {
              /** Condition under which the rule requests a human. */
              when: ('user_request' | 'keyword' | 'tool_failure' | 'low_confidence' | 'mood' | 'turn_limit');
              /** Words that trigger the rule if a user message contains one of them. Required if `when` is `keyword`. */
              keywords?: string[];
              /** For tool_failure, low_confidence and mood: number of consecutive occurrences that trigger the rule. For turn_limit: number of user messages. */
              count?: number;
              /** Reason shown with the escalation. */
              reason?: string;
              /** Team to ask if this rule applies, instead of `escalation.team`. */
              team?: string;
            }[];
            /** How long to wait for a human to accept, in seconds. */
            timeout_sec?: number;
            /** Label that identifies who should take the escalation, such as a team, a skill or a language. */
            team?: string;
            /** Team to ask next if nobody accepts in time. If omitted, the agent continues the conversation. */
            fallback_team?: string;
            /** Telephone number to ring when a human is requested during a telephone call. If absent, no number is called, and human agents take over through the API. */
            telephone?: {
              /** Telephone number in E.164 format. Must be a phone number such as +442071838750: a plus sign and 7 to 15 digits. */
              to: string;
            };
            /** Hours in which human agents are available. If absent, they are always available. */
            hours?: {
              /** IANA time zone in which the hours apply. Must be an IANA time zone name, such as Europe/Berlin. */
              time_zone: string;
              /** Opening periods. Each period applies on all of the days that it lists. */
              open: {
                /** Days of the week. */
                days: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[];
                /** Start of the period, such as 09:00. Must be a time from 00:00 to 24:00, such as 09:30. */
                from: string;
                /** End of the period, exclusive, such as 17:30. 24:00 is the end of the day. Must be a time from 00:00 to 24:00, such as 09:30. */
                to: string;
              }[];
              /** Dates without opening periods, such as holidays. */
              closed_on?: string[];
              /** Message to users outside these hours. {{opens}} is replaced by the time at which the next opening period starts. */
              closed_message?: string;
            };
          };
          /** Limits after which a conversation ends. */
          limits?: {
            /** Maximum duration of a conversation, in seconds, after which it ends. */
            max_duration_sec?: number;
            /** Number of seconds of user silence after which the conversation ends. */
            silence_timeout_sec?: number;
          };
          /** Kinds of sensitive data to remove from what users write and say, before it is stored or sent to a model. */
          redaction?: ('card' | 'email' | 'phone' | 'iban')[];
          /** How ended conversations are judged. */
          judgement?: {
            /** How to judge ended conversations. `rule` (the default): by a fixed rule based on counts. `model`: by a language model in addition to the rule. */
            by: ('rule' | 'model');
            /** Model that judges the conversations. Defaults to the agent's own model. */
            model?: {
              /** ModelProvider in the same namespace. If absent or `default`, the default provider is used. Must be a DNS label: at most 63 lower-case letters, digits and hyphens, without a hyphen at either end. */
              provider?: string;
              /** Name of the model. Defaults to the provider's default model. */
              name?: string;
            };
            /** Possible topics of a conversation. If absent, the model names the topics itself. */
            topics?: string[];
          };
          /** Your own key-value pairs. Parley stores and returns them, but does not interpret them. */
          metadata?: { [name: string]: string };
          /** Web pages that may open conversations with the agent. If absent, no web page may. */
          widget?: {
            /** Origins of the web pages that may open conversations with the agent, such as https://shop.example.com, capacitor://localhost or https://*.preview.example.com. */
            allowed_origins: string[];
            /** Maximum number of concurrent voice conversations from web pages. Also the maximum number of new conversations per minute from one IP address, counted separately for voice and chat. Default: 100. */
            max_concurrent?: number;
          };
          /** `automatic` (the default): new content goes live immediately. `manual`: new content waits until it is published. `progressive`: new content gets a growing share of conversations, in the steps of `rollout`. */
          publish_policy?: ('automatic' | 'manual' | 'progressive');
          /** Steps and checks of a `progressive` rollout. */
          rollout?: {
            /** Steps of the rollout, with increasing weights. After the last step, the new version goes live. */
            steps: {
              /** Percentage of new conversations that use the new version. */
              weight: number;
              /** Number of conversations on the new version that must end before the next step. */
              min_conversations: number;
            }[];
            /** Maximum duration of a step, such as 90m, 72h or 7d. If a step takes longer, the rollout is held. Default: 72h. Must be a number of minutes, hours or days, such as 72h. */
            max_duration?: string;
            /** Metrics on which the new version must not be worse than the old version. */
            checks: {
              /** Metric by which the two versions are compared. */
              metric: ('escalation_rate' | 'resolution_rate' | 'gap_rate' | 'unanswered_rate' | 'tool_failure_rate' | 'csat_average' | 'turn_latency_p95_ms');
              /** Smallest difference at which the new version counts as worse, in the unit of the metric. */
              worse_by: number;
            }[];
            /** Webhook that must confirm each further step and the completion of the rollout. */
            confirm?: {
              /** URL of the webhook, which responds with confirm, hold or abort. Must be an http or https URL in ASCII, such as https://example.com/hook, without a user name or password. */
              url: string;
              /** Secret with which requests are signed, in the same way as events. It must have the label parley.dev/allow: "true". */
              signing_secret_ref: {
                /** Name of the Secret in the same namespace. Must be a DNS name: lower-case letters, digits, hyphens and dots, with a letter or digit at both ends. */
                name: string;
                /** Key in the Secret. Must consist of letters, digits, dots, hyphens and underscores. */
                key: string;
              };
              /** Maximum wait for the webhook's whole response, in milliseconds. Default: 8000. */
              timeout_ms?: number;
            };
            /** What to do if the new version is worse. Default: abort. */
            on_fail?: ('abort' | 'hold');
            /** `keep` (the default): after an abort, conversations in progress keep the new version. `escalate`: they also keep it, and Parley requests a human for each of them. */
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
          /** ID of the agent. */
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
          /** An `ETag` from an earlier response, or `*`. If the resource has changed since then, the request is rejected with 412. */
          'If-Match'?: string;
        };
        path: {
          /** ID of the agent. */
          id: string;
        };
        cookie?: never;
      };
      requestBody: { content: {
        'application/json': {
          name?: unknown;
          /** Display name of the agent. */
          display_name?: (string | null);
          /** Instructions that the agent follows. */
          prompt?: (string | null);
          /** Voice of the agent: text to speech. */
          voice?: ({
            /** Speech provider (TTS): a ModelProvider with `speech` in the same namespace, or a provider that the carrier supports. */
            provider?: (string | null);
            /** Speech model. Defaults to the provider's default model. */
            model?: (string | null);
            /** The provider's ID for the voice. */
            voice_id?: (string | null);
            /** Language that the voice speaks, as a BCP 47 tag. Must be a language tag, such as en or pt-BR. */
            language?: (string | null);
            /** Speaking rate. 1 is normal speed. */
            speed?: (number | null);
            /** Fallbacks in order of preference, used when the first provider fails. */
            fallback?: ({
              /** Provider to fall back to. Defaults to the voice's provider. */
              provider?: string;
              /** Speech model. Defaults to the provider's default model. */
              model?: string;
              /** The provider's ID for the voice. Defaults to the agent's voice if the provider is the same, otherwise to the provider's default voice. */
              voice_id?: string;
            }[] | null);
          } | null);
          /** Transcription of what users say: speech to text. */
          transcriber?: ({
            /** Transcription provider (STT): a ModelProvider with `transcription` in the same namespace, or a provider that the carrier supports. */
            provider?: (string | null);
            /** Transcription model. Defaults to the provider's default model. */
            model?: (string | null);
            /** Language that users speak, as a BCP 47 tag. Must be a language tag, such as en or pt-BR. */
            language?: (string | null);
            /** Names and words that users are likely to say and that are hard to recognize. */
            keywords?: (string[] | null);
            /** Whether to transcribe the agent's interrupted sentence, in order to find the last word that was played before the interruption. This takes two requests. If false, the position is estimated from the audio. Default: false. */
            retranscribe_interrupted?: (boolean | null);
            /** Fallbacks in order of preference, used when the first provider fails. */
            fallback?: ({
              /** Provider to fall back to. Defaults to the transcriber's provider. */
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
            /** JSON Schema of the arguments that the model fills in; at most 64 KiB, 2000 members and elements, and 64 levels. */
            parameters?: { [name: string]: unknown };
            /** URL that a webhook tool calls. Must be an http or https URL in ASCII, such as https://example.com/hook, without a user name or password. */
            url?: string;
            /** HTTP method of a webhook tool. Default: POST. */
            method?: ('GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE');
            /** Extra headers that a webhook tool sends. */
            headers?: { [name: string]: string };
            /** Secret whose value is sent as a bearer token. It must have the label parley.dev/allow: "true". */
            secret_ref?: {
              /** Name of the Secret in the same namespace. Must be a DNS name: lower-case letters, digits, hyphens and dots, with a letter or digit at both ends. */
              name: string;
              /** Key in the Secret. Must consist of letters, digits, dots, hyphens and underscores. */
              key: string;
            };
            /** Secret with which requests are signed, in the same way as events. It must have the label parley.dev/allow: "true". */
            signing_secret_ref?: {
              /** Name of the Secret in the same namespace. Must be a DNS name: lower-case letters, digits, hyphens and dots, with a letter or digit at both ends. */
              name: string;
              /** Key in the Secret. Must consist of letters, digits, dots, hyphens and underscores. */
              key: string;
            };
            /** Maximum wait for the tool's whole response, in milliseconds. Default: 8000. */
            timeout_ms?: number;
            /** Agent in the same namespace to which a handoff tool hands over the conversation. Must be a DNS label: at most 63 lower-case letters, digits and hyphens, without a hyphen at either end. */
            agent?: string;
            /** Version of the handoff's target agent. Default: the target's active version at the time when this agent's version goes live. */
            version?: number;
            /** Bearer token, which responses never show. Parley stores it in a Secret of its own and sets `secret_ref`. Must have 1 to 8192 visible ASCII characters without spaces. */
            secret?: string;
            /** Signing key: `whsec_` followed by 24 to 64 bytes in base64. Responses never show it. Parley stores it in a Secret of its own and sets `signing_secret_ref`. */
            signing_secret?: string;
          }[] | null);
          /** The agent's first message. */
          first_message?: (string | null);
          /** Whether the user can interrupt the first message in a call. Default: true. */
          first_message_interruptible?: (boolean | null);
          /** Language of the agent, as a BCP 47 tag. Must be a language tag, such as en or pt-BR. */
          language?: (string | null);
          /** The language model and its settings. */
          model?: ({
            /** ModelProvider in the same namespace. If absent or `default`, the default provider from the operator's settings is used. Must be a DNS label: at most 63 lower-case letters, digits and hyphens, without a hyphen at either end. */
            provider?: (string | null);
            /** Name of the model. Defaults to the provider's default model. */
            name?: (string | null);
            /** Sampling temperature. */
            temperature?: (number | null);
            /** Maximum number of tokens in one reply. */
            max_tokens?: (number | null);
            /** Fallback models in order of preference, used when the first model cannot answer. */
            fallback?: ({
              /** ModelProvider in the same namespace. If absent or `default`, the default provider from the operator's settings is used. Must be a DNS label: at most 63 lower-case letters, digits and hyphens, without a hyphen at either end. */
              provider?: string;
              /** Name of the model. Defaults to the provider's default model. */
              name?: string;
            }[] | null);
          } | null);
          /** Knowledge that the agent uses to answer. */
          knowledge?: ({
            /** If true, the agent uses every knowledge source in the namespace, including ones added later. */
            all?: (boolean | null);
            /** Selects the knowledge sources in the namespace by their metadata. */
            selector?: ({
              /** Key-value pairs that a source's metadata must contain. */
              match_metadata?: ({ [name: string]: (string | null) } | null);
            } | null);
            /** IDs of the knowledge sources that the agent uses. */
            source_ids?: (string[] | null);
            /** Names of the knowledge sources that the agent uses, in the same namespace. */
            source_names?: (string[] | null);
            /** Maximum number of passages used for one reply. */
            top_k?: (number | null);
            /** Minimum score of a passage. If no passage reaches it, the question counts as a knowledge gap. */
            min_score?: (number | null);
          } | null);
          /** When and how a human takes over. */
          escalation?: ({
            /** Rules that request a human. */
            rules?: ({
              /** Condition under which the rule requests a human. */
              when: ('user_request' | 'keyword' | 'tool_failure' | 'low_confidence' | 'mood' | 'turn_limit');
              /** Words that trigger the rule if a user message contains one of them. Required if `when` is `keyword`. */
              keywords?: string[];
              /** For tool_failure, low_confidence and mood: number of consecutive occurrences that trigger the rule. For turn_limit: number of user messages. */
              count?: number;
              /** Reason shown with the escalation. */
              reason?: string;
              /** Team to ask if this rule applies, instead of `escalation.team`. */
              team?: string;
            }[] | null);
            /** How long to wait for a human to accept, in seconds. */
            timeout_sec?: (number | null);
            /** Label that identifies who should take the escalation, such as a team, a skill or a language. */
            team?: (string | null);
            /** Team to ask next if nobody accepts in time. If omitted, the agent continues the conversation. */
            fallback_team?: (string | null);
            /** Telephone number to ring when a human is requested during a telephone call. If absent, no number is called, and human agents take over through the API. */
            telephone?: ({
              /** Telephone number in E.164 format. Must be a phone number such as +442071838750: a plus sign and 7 to 15 digits. */
              to?: (string | null);
            } | null);
            /** Hours in which human agents are available. If absent, they are always available. */
            hours?: ({
              /** IANA time zone in which the hours apply. Must be an IANA time zone name, such as Europe/Berlin. */
              time_zone?: (string | null);
              /** Opening periods. Each period applies on all of the days that it lists. */
              open?: ({
                /** Days of the week. */
                days: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[];
                /** Start of the period, such as 09:00. Must be a time from 00:00 to 24:00, such as 09:30. */
                from: string;
                /** End of the period, exclusive, such as 17:30. 24:00 is the end of the day. Must be a time from 00:00 to 24:00, such as 09:30. */
                to: string;
              }[] | null);
              /** Dates without opening periods, such as holidays. */
              closed_on?: (string[] | null);
              /** Message to users outside these hours. {{opens}} is replaced by the time at which the next opening period starts. */
              closed_message?: (string | null);
            } | null);
          } | null);
          /** Limits after which a conversation ends. */
          limits?: ({
            /** Maximum duration of a conversation, in seconds, after which it ends. */
            max_duration_sec?: (number | null);
            /** Number of seconds of user silence after which the conversation ends. */
            silence_timeout_sec?: (number | null);
          } | null);
          /** Kinds of sensitive data to remove from what users write and say, before it is stored or sent to a model. */
          redaction?: (('card' | 'email' | 'phone' | 'iban')[] | null);
          /** How ended conversations are judged. */
          judgement?: ({
            /** How to judge ended conversations. `rule` (the default): by a fixed rule based on counts. `model`: by a language model in addition to the rule. */
            by?: ('rule' | 'model' | null);
            /** Model that judges the conversations. Defaults to the agent's own model. */
            model?: ({
              /** ModelProvider in the same namespace. If absent or `default`, the default provider is used. Must be a DNS label: at most 63 lower-case letters, digits and hyphens, without a hyphen at either end. */
              provider?: (string | null);
              /** Name of the model. Defaults to the provider's default model. */
              name?: (string | null);
            } | null);
            /** Possible topics of a conversation. If absent, the model names the topics itself. */
            topics?: (string[] | null);
          } | null);
          /** Your own key-value pairs. Parley stores and returns them, but does not interpret them. */
          metadata?: ({ [name: string]: (string | null) } | null);
          /** Web pages that may open conversations with the agent. If absent, no web page may. */
          widget?: ({
            /** Origins of the web pages that may open conversations with the agent, such as https://shop.example.com, capacitor://localhost or https://*.preview.example.com. */
            allowed_origins?: (string[] | null);
            /** Maximum number of concurrent voice conversations from web pages. Also the maximum number of new conversations per minute from one IP address, counted separately for voice and chat. Default: 100. */
            max_concurrent?: (number | null);
          } | null);
          /** `automatic` (the default): new content goes live immediately. `manual`: new content waits until it is published. `progressive`: new content gets a growing share of conversations, in the steps of `rollout`. */
          publish_policy?: ('automatic' | 'manual' | 'progressive' | null);
          /** Steps and checks of a `progressive` rollout. */
          rollout?: ({
            /** Steps of the rollout, with increasing weights. After the last step, the new version goes live. */
            steps?: ({
              /** Percentage of new conversations that use the new version. */
              weight: number;
              /** Number of conversations on the new version that must end before the next step. */
              min_conversations: number;
            }[] | null);
            /** Maximum duration of a step, such as 90m, 72h or 7d. If a step takes longer, the rollout is held. Default: 72h. Must be a number of minutes, hours or days, such as 72h. */
            max_duration?: (string | null);
            /** Metrics on which the new version must not be worse than the old version. */
            checks?: ({
              /** Metric by which the two versions are compared. */
              metric: ('escalation_rate' | 'resolution_rate' | 'gap_rate' | 'unanswered_rate' | 'tool_failure_rate' | 'csat_average' | 'turn_latency_p95_ms');
              /** Smallest difference at which the new version counts as worse, in the unit of the metric. */
              worse_by: number;
            }[] | null);
            /** Webhook that must confirm each further step and the completion of the rollout. */
            confirm?: ({
              /** URL of the webhook, which responds with confirm, hold or abort. Must be an http or https URL in ASCII, such as https://example.com/hook, without a user name or password. */
              url?: (string | null);
              /** Secret with which requests are signed, in the same way as events. It must have the label parley.dev/allow: "true". */
              signing_secret_ref?: ({
                /** Name of the Secret in the same namespace. Must be a DNS name: lower-case letters, digits, hyphens and dots, with a letter or digit at both ends. */
                name?: (string | null);
                /** Key in the Secret. Must consist of letters, digits, dots, hyphens and underscores. */
                key?: (string | null);
              } | null);
              /** Maximum wait for the webhook's whole response, in milliseconds. Default: 8000. */
              timeout_ms?: (number | null);
            } | null);
            /** What to do if the new version is worse. Default: abort. */
            on_fail?: ('abort' | 'hold' | null);
            /** `keep` (the default): after an abort, conversations in progress keep the new version. `escalate`: they also keep it, and Parley requests a human for each of them. */
            on_abort?: ('keep' | 'escalate' | null);
          } | null);
        };
        'application/merge-patch+json': {
          name?: unknown;
          /** Display name of the agent. */
          display_name?: (string | null);
          /** Instructions that the agent follows. */
          prompt?: (string | null);
          /** Voice of the agent: text to speech. */
          voice?: ({
            /** Speech provider (TTS): a ModelProvider with `speech` in the same namespace, or a provider that the carrier supports. */
            provider?: (string | null);
            /** Speech model. Defaults to the provider's default model. */
            model?: (string | null);
            /** The provider's ID for the voice. */
            voice_id?: (string | null);
            /** Language that the voice speaks, as a BCP 47 tag. Must be a language tag, such as en or pt-BR. */
            language?: (string | null);
            /** Speaking rate. 1 is normal speed. */
            speed?: (number | null);
            /** Fallbacks in order of preference, used when the first provider fails. */
            fallback?: ({
              /** Provider to fall back to. Defaults to the voice's provider. */
              provider?: string;
              /** Speech model. Defaults to the provider's default model. */
              model?: string;
              /** The provider's ID for the voice. Defaults to the agent's voice if the provider is the same, otherwise to the provider's default voice. */
              voice_id?: string;
            }[] | null);
          } | null);
          /** Transcription of what users say: speech to text. */
          transcriber?: ({
            /** Transcription provider (STT): a ModelProvider with `transcription` in the same namespace, or a provider that the carrier supports. */
            provider?: (string | null);
            /** Transcription model. Defaults to the provider's default model. */
            model?: (string | null);
            /** Language that users speak, as a BCP 47 tag. Must be a language tag, such as en or pt-BR. */
            language?: (string | null);
            /** Names and words that users are likely to say and that are hard to recognize. */
            keywords?: (string[] | null);
            /** Whether to transcribe the agent's interrupted sentence, in order to find the last word that was played before the interruption. This takes two requests. If false, the position is estimated from the audio. Default: false. */
            retranscribe_interrupted?: (boolean | null);
            /** Fallbacks in order of preference, used when the first provider fails. */
            fallback?: ({
              /** Provider to fall back to. Defaults to the transcriber's provider. */
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
            /** JSON Schema of the arguments that the model fills in; at most 64 KiB, 2000 members and elements, and 64 levels. */
            parameters?: { [name: string]: unknown };
            /** URL that a webhook tool calls. Must be an http or https URL in ASCII, such as https://example.com/hook, without a user name or password. */
            url?: string;
            /** HTTP method of a webhook tool. Default: POST. */
            method?: ('GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE');
            /** Extra headers that a webhook tool sends. */
            headers?: { [name: string]: string };
            /** Secret whose value is sent as a bearer token. It must have the label parley.dev/allow: "true". */
            secret_ref?: {
              /** Name of the Secret in the same namespace. Must be a DNS name: lower-case letters, digits, hyphens and dots, with a letter or digit at both ends. */
              name: string;
              /** Key in the Secret. Must consist of letters, digits, dots, hyphens and underscores. */
              key: string;
            };
            /** Secret with which requests are signed, in the same way as events. It must have the label parley.dev/allow: "true". */
            signing_secret_ref?: {
              /** Name of the Secret in the same namespace. Must be a DNS name: lower-case letters, digits, hyphens and dots, with a letter or digit at both ends. */
              name: string;
              /** Key in the Secret. Must consist of letters, digits, dots, hyphens and underscores. */
              key: string;
            };
            /** Maximum wait for the tool's whole response, in milliseconds. Default: 8000. */
            timeout_ms?: number;
            /** Agent in the same namespace to which a handoff tool hands over the conversation. Must be a DNS label: at most 63 lower-case letters, digits and hyphens, without a hyphen at either end. */
            agent?: string;
            /** Version of the handoff's target agent. Default: the target's active version at the time when this agent's version goes live. */
            version?: number;
            /** Bearer token, which responses never show. Parley stores it in a Secret of its own and sets `secret_ref`. Must have 1 to 8192 visible ASCII characters without spaces. */
            secret?: string;
            /** Signing key: `whsec_` followed by 24 to 64 bytes in base64. Responses never show it. Parley stores it in a Secret of its own and sets `signing_secret_ref`. */
            signing_secret?: string;
          }[] | null);
          /** The agent's first message. */
          first_message?: (string | null);
          /** Whether the user can interrupt the first message in a call. Default: true. */
          first_message_interruptible?: (boolean | null);
          /** Language of the agent, as a BCP 47 tag. Must be a language tag, such as en or pt-BR. */
          language?: (string | null);
          /** The language model and its settings. */
          model?: ({
            /** ModelProvider in the same namespace. If absent or `default`, the default provider from the operator's settings is used. Must be a DNS label: at most 63 lower-case letters, digits and hyphens, without a hyphen at either end. */
            provider?: (string | null);
            /** Name of the model. Defaults to the provider's default model. */
            name?: (string | null);
            /** Sampling temperature. */
            temperature?: (number | null);
            /** Maximum number of tokens in one reply. */
            max_tokens?: (number | null);
            /** Fallback models in order of preference, used when the first model cannot answer. */
            fallback?: ({
              /** ModelProvider in the same namespace. If absent or `default`, the default provider from the operator's settings is used. Must be a DNS label: at most 63 lower-case letters, digits and hyphens, without a hyphen at either end. */
              provider?: string;
              /** Name of the model. Defaults to the provider's default model. */
              name?: string;
            }[] | null);
          } | null);
          /** Knowledge that the agent uses to answer. */
          knowledge?: ({
            /** If true, the agent uses every knowledge source in the namespace, including ones added later. */
            all?: (boolean | null);
            /** Selects the knowledge sources in the namespace by their metadata. */
            selector?: ({
              /** Key-value pairs that a source's metadata must contain. */
              match_metadata?: ({ [name: string]: (string | null) } | null);
            } | null);
            /** IDs of the knowledge sources that the agent uses. */
            source_ids?: (string[] | null);
            /** Names of the knowledge sources that the agent uses, in the same namespace. */
            source_names?: (string[] | null);
            /** Maximum number of passages used for one reply. */
            top_k?: (number | null);
            /** Minimum score of a passage. If no passage reaches it, the question counts as a knowledge gap. */
            min_score?: (number | null);
          } | null);
          /** When and how a human takes over. */
          escalation?: ({
            /** Rules that request a human. */
            rules?: ({
              /** Condition under which the rule requests a human. */
              when: ('user_request' | 'keyword' | 'tool_failure' | 'low_confidence' | 'mood' | 'turn_limit');
              /** Words that trigger the rule if a user message contains one of them. Required if `when` is `keyword`. */
              keywords?: string[];
              /** For tool_failure, low_confidence and mood: number of consecutive occurrences that trigger the rule. For turn_limit: number of user messages. */
              count?: number;
              /** Reason shown with the escalation. */
              reason?: string;
              /** Team to ask if this rule applies, instead of `escalation.team`. */
              team?: string;
            }[] | null);
            /** How long to wait for a human to accept, in seconds. */
            timeout_sec?: (number | null);
            /** Label that identifies who should take the escalation, such as a team, a skill or a language. */
            team?: (string | null);
            /** Team to ask next if nobody accepts in time. If omitted, the agent continues the conversation. */
            fallback_team?: (string | null);
            /** Telephone number to ring when a human is requested during a telephone call. If absent, no number is called, and human agents take over through the API. */
            telephone?: ({
              /** Telephone number in E.164 format. Must be a phone number such as +442071838750: a plus sign and 7 to 15 digits. */
              to?: (string | null);
            } | null);
            /** Hours in which human agents are available. If absent, they are always available. */
            hours?: ({
              /** IANA time zone in which the hours apply. Must be an IANA time zone name, such as Europe/Berlin. */
              time_zone?: (string | null);
              /** Opening periods. Each period applies on all of the days that it lists. */
              open?: ({
                /** Days of the week. */
                days: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[];
                /** Start of the period, such as 09:00. Must be a time from 00:00 to 24:00, such as 09:30. */
                from: string;
                /** End of the period, exclusive, such as 17:30. 24:00 is the end of the day. Must be a time from 00:00 to 24:00, such as 09:30. */
                to: string;
              }[] | null);
              /** Dates without opening periods, such as holidays. */
              closed_on?: (string[] | null);
              /** Message to users outside these hours. {{opens}} is replaced by the time at which the next opening period starts. */
              closed_message?: (string | null);
            } | null);
          } | null);
          /** Limits after which a conversation ends. */
          limits?: ({
            /** Maximum duration of a conversation, in seconds, after which it ends. */
            max_duration_sec?: (number | null);
            /** Number of seconds of user silence after which the conversation ends. */
            silence_timeout_sec?: (number | null);
          } | null);
          /** Kinds of sensitive data to remove from what users write and say, before it is stored or sent to a model. */
          redaction?: (('card' | 'email' | 'phone' | 'iban')[] | null);
          /** How ended conversations are judged. */
          judgement?: ({
            /** How to judge ended conversations. `rule` (the default): by a fixed rule based on counts. `model`: by a language model in addition to the rule. */
            by?: ('rule' | 'model' | null);
            /** Model that judges the conversations. Defaults to the agent's own model. */
            model?: ({
              /** ModelProvider in the same namespace. If absent or `default`, the default provider is used. Must be a DNS label: at most 63 lower-case letters, digits and hyphens, without a hyphen at either end. */
              provider?: (string | null);
              /** Name of the model. Defaults to the provider's default model. */
              name?: (string | null);
            } | null);
            /** Possible topics of a conversation. If absent, the model names the topics itself. */
            topics?: (string[] | null);
          } | null);
          /** Your own key-value pairs. Parley stores and returns them, but does not interpret them. */
          metadata?: ({ [name: string]: (string | null) } | null);
          /** Web pages that may open conversations with the agent. If absent, no web page may. */
          widget?: ({
            /** Origins of the web pages that may open conversations with the agent, such as https://shop.example.com, capacitor://localhost or https://*.preview.example.com. */
            allowed_origins?: (string[] | null);
            /** Maximum number of concurrent voice conversations from web pages. Also the maximum number of new conversations per minute from one IP address, counted separately for voice and chat. Default: 100. */
            max_concurrent?: (number | null);
          } | null);
          /** `automatic` (the default): new content goes live immediately. `manual`: new content waits until it is published. `progressive`: new content gets a growing share of conversations, in the steps of `rollout`. */
          publish_policy?: ('automatic' | 'manual' | 'progressive' | null);
          /** Steps and checks of a `progressive` rollout. */
          rollout?: ({
            /** Steps of the rollout, with increasing weights. After the last step, the new version goes live. */
            steps?: ({
              /** Percentage of new conversations that use the new version. */
              weight: number;
              /** Number of conversations on the new version that must end before the next step. */
              min_conversations: number;
            }[] | null);
            /** Maximum duration of a step, such as 90m, 72h or 7d. If a step takes longer, the rollout is held. Default: 72h. Must be a number of minutes, hours or days, such as 72h. */
            max_duration?: (string | null);
            /** Metrics on which the new version must not be worse than the old version. */
            checks?: ({
              /** Metric by which the two versions are compared. */
              metric: ('escalation_rate' | 'resolution_rate' | 'gap_rate' | 'unanswered_rate' | 'tool_failure_rate' | 'csat_average' | 'turn_latency_p95_ms');
              /** Smallest difference at which the new version counts as worse, in the unit of the metric. */
              worse_by: number;
            }[] | null);
            /** Webhook that must confirm each further step and the completion of the rollout. */
            confirm?: ({
              /** URL of the webhook, which responds with confirm, hold or abort. Must be an http or https URL in ASCII, such as https://example.com/hook, without a user name or password. */
              url?: (string | null);
              /** Secret with which requests are signed, in the same way as events. It must have the label parley.dev/allow: "true". */
              signing_secret_ref?: ({
                /** Name of the Secret in the same namespace. Must be a DNS name: lower-case letters, digits, hyphens and dots, with a letter or digit at both ends. */
                name?: (string | null);
                /** Key in the Secret. Must consist of letters, digits, dots, hyphens and underscores. */
                key?: (string | null);
              } | null);
              /** Maximum wait for the webhook's whole response, in milliseconds. Default: 8000. */
              timeout_ms?: (number | null);
            } | null);
            /** What to do if the new version is worse. Default: abort. */
            on_fail?: ('abort' | 'hold' | null);
            /** `keep` (the default): after an abort, conversations in progress keep the new version. `escalate`: they also keep it, and Parley requests a human for each of them. */
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
          /** An `ETag` from an earlier response, or `*`. If the resource has changed since then, the request is rejected with 412. */
          'If-Match'?: string;
        };
        path: {
          /** ID of the agent. */
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
          /** An `ETag` from an earlier response, or `*`. If the resource has changed since then, the request is rejected with 412. */
          'If-Match'?: string;
        };
        path: {
          /** ID of the agent. */
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
          /** An `ETag` from an earlier response, or `*`. If the resource has changed since then, the request is rejected with 412. */
          'If-Match'?: string;
        };
        path: {
          /** ID of the agent. */
          id: string;
        };
        cookie?: never;
      };
      requestBody?: { content: {
        'application/json': {
          /** Version to roll back to, lower than the active one. Default: the highest such version that has been live and was not recalled. */
          version?: number;
          /** Reason for the rollback, stored in the history and sent with the event. */
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
          /** Maximum number of items on a page. */
          limit?: number;
          /** The `next_cursor` of the previous page. */
          cursor?: string;
        };
        header?: never;
        path: {
          /** ID of the agent. */
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
          /** ID of the agent. */
          id: string;
          /** Version number. */
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
          /** ID of the agent. */
          id: string;
          /** Version number. */
          from: number;
          /** Version number. */
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
          /** Maximum number of items on a page. */
          limit?: number;
          /** The `next_cursor` of the previous page. */
          cursor?: string;
        };
        header?: never;
        path: {
          /** ID of the agent. */
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
    /** Read the rollout in progress or the last rollout */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** ID of the agent. */
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
    /** List the changes to all rollouts, newest first */
    get: {
      parameters: {
        query?: {
          /** Maximum number of items on a page. */
          limit?: number;
          /** The `next_cursor` of the previous page. */
          cursor?: string;
        };
        header?: never;
        path: {
          /** ID of the agent. */
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
          /** ID of the agent. */
          id: string;
        };
        cookie?: never;
      };
      requestBody?: { content: {
        'application/json': {
          /** Reason for the change, stored in the rollout log. An event about the change includes it. */
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
    /** Hold a rollout at its current weight */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** Makes a request safe to repeat. For 24 hours, the same request gets the same response, with `Idempotency-Replayed: true`. */
          'Idempotency-Key'?: string;
        };
        path: {
          /** ID of the agent. */
          id: string;
        };
        cookie?: never;
      };
      requestBody?: { content: {
        'application/json': {
          /** Reason for the change, stored in the rollout log. An event about the change includes it. */
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
    /** Resume a held rollout */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** Makes a request safe to repeat. For 24 hours, the same request gets the same response, with `Idempotency-Replayed: true`. */
          'Idempotency-Key'?: string;
        };
        path: {
          /** ID of the agent. */
          id: string;
        };
        cookie?: never;
      };
      requestBody?: { content: {
        'application/json': {
          /** Reason for the change, stored in the rollout log. An event about the change includes it. */
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
          /** ID of the agent. */
          id: string;
        };
        cookie?: never;
      };
      requestBody?: { content: {
        'application/json': {
          /** Reason for the change, stored in the rollout log. An event about the change includes it. */
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
          /** ID of the agent. */
          id: string;
        };
        cookie?: never;
      };
      requestBody: { content: {
        'application/json': {
          /** The versions to recall. They can never go live again. */
          versions: number[];
          /** The recall affects conversations that started at or after this time, in Unix seconds. The time is rounded down to a quarter of an hour. Default: all conversations. */
          since?: number;
          /** Reason for the recall. */
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
          /** Maximum number of items on a page. */
          limit?: number;
          /** The `next_cursor` of the previous page. */
          cursor?: string;
        };
        header?: never;
        path: {
          /** ID of the agent. */
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
          /** ID of the agent. */
          id: string;
          /** ID of the recall. */
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
    /** List the conversations with recalled versions, newest first */
    get: {
      parameters: {
        query?: {
          /** Maximum number of items on a page. */
          limit?: number;
          /** The `next_cursor` of the previous page. */
          cursor?: string;
        };
        header?: never;
        path: {
          /** ID of the agent. */
          id: string;
          /** ID of the recall. */
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
    /** List the users of recalled versions, sorted by their newest conversation */
    get: {
      parameters: {
        query?: {
          /** Maximum number of items on a page. */
          limit?: number;
          /** The `next_cursor` of the previous page. */
          cursor?: string;
        };
        header?: never;
        path: {
          /** ID of the agent. */
          id: string;
          /** ID of the recall. */
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
          /** Maximum number of items on a page. */
          limit?: number;
          /** The `next_cursor` of the previous page. */
          cursor?: string;
        };
        header?: never;
        path: {
          /** ID of the agent. */
          id: string;
          /** ID of the recall. */
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
    /** Read the statistics of an agent or of one version */
    get: {
      parameters: {
        query?: {
          /** Counts only conversations on this version. */
          version?: number;
          /** Unix seconds, inclusive. Default: 24 hours before `to`. */
          from?: number;
          /** Unix seconds, exclusive. Default: now. */
          to?: number;
        };
        header?: never;
        path: {
          /** ID of the agent. */
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
    /** Read the statistics of all agents by version */
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
    /** Read conversation metrics over time and by group */
    get: {
      parameters: {
        query?: {
          /** Unix seconds, inclusive. Rounded down to the start of an interval. Default: 28 days before `to`. */
          from?: number;
          /** Unix seconds, exclusive. Rounded up to a quarter of an hour. Default: now. */
          to?: number;
          /** Length of an interval. The period may cover at most 31 days with `hour`, 366 with `day` and 1098 with `week`. Weeks start on Monday. */
          interval?: ('hour' | 'day' | 'week');
          /** Time zone that determines when days and weeks start. */
          time_zone?: string;
          /** Property to group by. With `topic`, a conversation counts once for each of its topics. With `person`, it counts once for each human agent who accepted it. */
          group_by?: ('agent' | 'version' | 'channel' | 'topic' | 'person');
          agent_id?: string;
          /** Counts only conversations on this version. Requires `agent_id`. */
          version?: number;
          channel?: ('chat' | 'voice' | 'sms' | 'web_voice');
          /** Counts only conversations with this topic. */
          topic?: string;
          /** Counts only conversations that the human agent with this ID accepted. */
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
          /** Maximum number of items on a page. */
          limit?: number;
          /** The `next_cursor` of the previous page. */
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
          /** HTTPS URL that receives the events. Must be an http or https URL in ASCII, such as https://example.com/hook, without a user name or password. */
          url: string;
          /** Event types to send, or groups such as agent.*. If absent or null, all types are sent. */
          event_types?: (('*' | 'conversation.*' | 'conversation.started' | 'conversation.ended' | 'conversation.transcript.*' | 'conversation.transcript.ready' | 'escalation.*' | 'escalation.requested' | 'escalation.accepted' | 'knowledge.*' | 'knowledge.gap.*' | 'knowledge.gap.detected' | 'knowledge.source.*' | 'knowledge.source.synced' | 'agent.*' | 'agent.published' | 'agent.rolled_back')[] | null);
          /** Purpose of the endpoint. */
          description?: string;
          /** Your own key-value pairs. Parley stores and returns them, but does not interpret them. */
          metadata?: { [name: string]: string };
          /** Extra headers for each delivery. The values are stored encrypted. Responses contain only the names. */
          headers?: { [name: string]: string };
          /** If false, no deliveries are created. Default: true. */
          enabled?: boolean;
          /** `whsec_` followed by 24 to 64 bytes in base64. Generated if absent. Only the response to this request shows it. Must be whsec_ followed by the base64 of 24 to 64 bytes. */
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
          /** ID of the webhook endpoint. */
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
          /** An `ETag` from an earlier response, or `*`. If the resource has changed since then, the request is rejected with 412. */
          'If-Match'?: string;
        };
        path: {
          /** ID of the webhook endpoint. */
          id: string;
        };
        cookie?: never;
      };
      requestBody: { content: {
        'application/json': {
          /** HTTPS URL that receives the events. Must be an http or https URL in ASCII, such as https://example.com/hook, without a user name or password. */
          url?: (string | null);
          /** Event types to send, or groups such as agent.*. If absent or null, all types are sent. */
          event_types?: (('*' | 'conversation.*' | 'conversation.started' | 'conversation.ended' | 'conversation.transcript.*' | 'conversation.transcript.ready' | 'escalation.*' | 'escalation.requested' | 'escalation.accepted' | 'knowledge.*' | 'knowledge.gap.*' | 'knowledge.gap.detected' | 'knowledge.source.*' | 'knowledge.source.synced' | 'agent.*' | 'agent.published' | 'agent.rolled_back')[] | null);
          /** Purpose of the endpoint. */
          description?: (string | null);
          /** Your own key-value pairs. Parley stores and returns them, but does not interpret them. */
          metadata?: ({ [name: string]: (string | null) } | null);
          /** Headers to set. A header with the value null is removed. Null instead of an object removes all headers. */
          headers?: ({ [name: string]: (string | null) } | null);
          /** If false, no deliveries are created. Default: true. */
          enabled?: (boolean | null);
        };
        'application/merge-patch+json': {
          /** HTTPS URL that receives the events. Must be an http or https URL in ASCII, such as https://example.com/hook, without a user name or password. */
          url?: (string | null);
          /** Event types to send, or groups such as agent.*. If absent or null, all types are sent. */
          event_types?: (('*' | 'conversation.*' | 'conversation.started' | 'conversation.ended' | 'conversation.transcript.*' | 'conversation.transcript.ready' | 'escalation.*' | 'escalation.requested' | 'escalation.accepted' | 'knowledge.*' | 'knowledge.gap.*' | 'knowledge.gap.detected' | 'knowledge.source.*' | 'knowledge.source.synced' | 'agent.*' | 'agent.published' | 'agent.rolled_back')[] | null);
          /** Purpose of the endpoint. */
          description?: (string | null);
          /** Your own key-value pairs. Parley stores and returns them, but does not interpret them. */
          metadata?: ({ [name: string]: (string | null) } | null);
          /** Headers to set. A header with the value null is removed. Null instead of an object removes all headers. */
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
          /** An `ETag` from an earlier response, or `*`. If the resource has changed since then, the request is rejected with 412. */
          'If-Match'?: string;
        };
        path: {
          /** ID of the webhook endpoint. */
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
          /** ID of the webhook endpoint. */
          id: string;
        };
        cookie?: never;
      };
      requestBody?: { content: {
        'application/json': {
          /** Type of the event. Default: `agent.published`, or the first subscribed type if the endpoint is not subscribed to `agent.published`. */
          type?: ('conversation.started' | 'conversation.ended' | 'conversation.transcript.ready' | 'escalation.requested' | 'escalation.accepted' | 'knowledge.gap.detected' | 'knowledge.source.synced' | 'agent.published' | 'agent.rolled_back');
          /** Data of the event, with the fields of its type. Default: sample data. */
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
        429: Refused<('rate_limited' | 'too_many_in_flight')>;
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
          /** An `ETag` from an earlier response, or `*`. If the resource has changed since then, the request is rejected with 412. */
          'If-Match'?: string;
        };
        path: {
          /** ID of the webhook endpoint. */
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
          /** If true, the stream also sends `event: change` for changed resources. Default: false. */
          changes?: boolean;
        };
        header?: {
          /** The `id` of the last event that you received. The stream continues after that event. */
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
          /** Only events created at or after this time, in Unix seconds. */
          created_after?: number;
          /** Only events created before this time, in Unix seconds. */
          created_before?: number;
          order?: ('newest' | 'oldest');
          /** Maximum number of items on a page. */
          limit?: number;
          /** The `next_cursor` of the previous page. */
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
          /** ID of the event. */
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
          /** ID of the event. */
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
          /** Only deliveries created at or after this time, in Unix seconds. */
          created_after?: number;
          /** Only deliveries created before this time, in Unix seconds. */
          created_before?: number;
          /** If true, includes test events. Default: false. */
          test?: boolean;
          /** Maximum number of items on a page. */
          limit?: number;
          /** The `next_cursor` of the previous page. */
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
          /** Start of the period in Unix seconds, inclusive. Default: an hour before `to`. */
          from?: number;
          /** End of the period in Unix seconds, exclusive. Default: now. */
          to?: number;
          endpoint_id?: string;
          /** Length of a bucket in seconds. Default: 1/60 of the period. A period can have at most 500 buckets. */
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
          /** Maximum number of items on a page. */
          limit?: number;
          /** The `next_cursor` of the previous page. */
          cursor?: string;
          status?: ('pending' | 'retrying' | 'delivered' | 'failed' | 'canceled');
        };
        header?: never;
        path: {
          /** ID of the webhook endpoint. */
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
          /** Maximum number of items on a page. */
          limit?: number;
          /** The `next_cursor` of the previous page. */
          cursor?: string;
          status?: ('pending' | 'retrying' | 'delivered' | 'failed' | 'canceled');
        };
        header?: never;
        path: {
          /** ID of the event. */
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
          /** ID of the delivery. */
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
          /** ID of the event. */
          id: string;
        };
        cookie?: never;
      };
      requestBody?: { content: {
        'application/json': {
          /** Endpoint to send the event to. Default: every enabled endpoint now subscribed to its type. Must be an ID like we_01jdn0wzave008001tbgfjpkbe. */
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
        429: Refused<('rate_limited' | 'too_many_in_flight')>;
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
          /** ID of the webhook endpoint. */
          id: string;
        };
        cookie?: never;
      };
      requestBody: { content: {
        'application/json': {
          /** Start of the period in Unix seconds, inclusive. It can go back as far as events are stored: 30 days, or as configured. */
          since: number;
          /** End of the period in Unix seconds, exclusive. Default: the time of the request. */
          until?: number;
          /** Events to send again. Default: `failed`. */
          mode?: ('failed' | 'missing' | 'all' | 'retrying');
          /** Event types to send again. Default: every type. */
          types?: ('*' | 'conversation.*' | 'conversation.started' | 'conversation.ended' | 'conversation.transcript.*' | 'conversation.transcript.ready' | 'escalation.*' | 'escalation.requested' | 'escalation.accepted' | 'knowledge.*' | 'knowledge.gap.*' | 'knowledge.gap.detected' | 'knowledge.source.*' | 'knowledge.source.synced' | 'agent.*' | 'agent.published' | 'agent.rolled_back')[];
          /** If true, nothing is sent. The response contains only the number of deliveries. */
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
          /** Maximum number of items on a page. */
          limit?: number;
          /** The `next_cursor` of the previous page. */
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
          /** ID of the job. */
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
          /** ID of the job. */
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
          /** ID of the delivery. */
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
    /** Read the digest of the events of one hour */
    get: {
      parameters: {
        query: {
          /** Start of the hour in Unix seconds, a multiple of 3600. The digest is available as long as events are stored: 30 days, or as configured. */
          hour: number;
        };
        header?: never;
        path: {
          /** ID of the webhook endpoint. */
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
    /** Compare the events that a receiver has with the events that were sent */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** Makes a request safe to repeat. For 24 hours, the same request gets the same response, with `Idempotency-Replayed: true`. */
          'Idempotency-Key'?: string;
        };
        path: {
          /** ID of the webhook endpoint. */
          id: string;
        };
        cookie?: never;
      };
      requestBody: { content: {
        'application/json': {
          /** Start of the period in Unix seconds, inclusive. It can go back as far as events are stored: 30 days, or as configured. */
          since: number;
          /** End of the period in Unix seconds, exclusive, at most 24 hours after `since`. Default: now. */
          until?: number;
          /** IDs of all events that the receiver has and whose `created` is in the period. */
          ids: string[];
          /** If true, missing events that have no unfinished delivery are sent again. Requires the `replay` scope. */
          replay?: boolean;
          /** Maximum number of IDs in `missing` per page. */
          limit?: number;
          /** The `next_cursor` of the previous page. */
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
          /** Agent that handles the conversation. Must be an ID like agt_01jdn0wzave008001tbgfjpkbe. */
          agent_id: string;
          /** Version of the agent. Default: the active version. A version that was never live is accepted only with `test`. An unknown version is rejected with 422 `unknown_version`. Without `test`, a recalled version is rejected with 409 `version_recalled`. */
          agent_version?: number;
          /** Marks the conversation as a test. A test emits no events, records no knowledge gaps, is excluded from statistics, and appears in lists only with `test=true`. */
          test?: boolean;
          /** Medium through which the user and the agent talk. */
          channel?: ('chat' | 'voice' | 'sms' | 'web_voice');
          /** Your own ID for the user. */
          user_id?: string;
          /** What the agent should know about the user, as at most 64 KiB of JSON. `{{name}}` in the prompt and in the first message is replaced by the value of `name`. */
          variables?: { [name: string]: unknown };
          /** Your own key-value pairs. Parley stores and returns them, but does not interpret them. */
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
          /** `metadata.KEY=VALUE` matches objects whose metadata has exactly this value for the key. If there are several pairs (at most 10), all of them must match. */
          [name: `metadata.${string}`]: string;
          call_id?: string;
          /** Phone number that the call came from, in E.164 format. */
          from?: string;
          /** Phone number that was called, in E.164 format. */
          to?: string;
          /** Earliest creation of the conversation in Unix seconds, inclusive. */
          created_after?: number;
          /** Latest creation of the conversation in Unix seconds, exclusive. */
          created_before?: number;
          /** Earliest end of the conversation in Unix seconds, inclusive. */
          ended_after?: number;
          /** Latest end of the conversation in Unix seconds, exclusive. */
          ended_before?: number;
          /** If true, includes test conversations. Default: false. */
          test?: boolean;
          /** ID of a conversation, call or escalation, or words to search for. Each word must occur in what the user, an agent or a human agent said, in `summary` or in `user_id`. Case is ignored. A page searches at most 5,000 conversations, so it may have fewer than `limit` items even if more exist. */
          q?: string;
          /** Which items come first, by creation time. Default: newest. */
          order?: ('newest' | 'oldest');
          /** If true, the response has `total_count`. Default: false. */
          total?: boolean;
          /** Maximum number of items on a page. */
          limit?: number;
          /** The `next_cursor` of the previous page. */
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
            /** Total number of items on all pages. 10,000 means at least that many. Null if counting takes more than half a second. Absent unless `total=true`. */
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
          /** ID of the conversation. */
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
          /** ID of the conversation. */
          id: string;
        };
        cookie?: never;
      };
      requestBody: { content: {
        'application/json': {
          /** Your own ID for the user. Null removes it. */
          user_id?: (string | null);
          /** Members to change. A null value removes the member, and `"metadata": null` removes all members. */
          metadata?: ({ [name: string]: (string | null) } | null);
        };
        'application/merge-patch+json': {
          /** Your own ID for the user. Null removes it. */
          user_id?: (string | null);
          /** Members to change. A null value removes the member, and `"metadata": null` removes all members. */
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
          /** What happens to undelivered events about an erased conversation. `deliver` sends them without the text, `user_id` and `metadata` of the conversation. `cancel` cancels their deliveries. */
          events?: ('deliver' | 'cancel');
        };
        header?: never;
        path: {
          /** ID of the conversation. */
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
          /** ID of the conversation. */
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
          /** ID of the conversation. */
          id: string;
        };
        cookie?: never;
      };
      requestBody?: { content: {
        'application/json': {
          /** Outcome of the conversation. By default, rules determine it. */
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
          /** ID of the conversation. */
          id: string;
        };
        cookie?: never;
      };
      requestBody?: { content: {
        'application/json': {
          /** Reason for the request, shown to the human agent who takes over. */
          reason?: string;
          /** Team that should take over. Default: the agent's team. */
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
          /** ID of the conversation. */
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
          /** ID of the conversation. */
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
          /** ID of the conversation. */
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
          /** Index of the last turn that the client received. -1 means none. */
          last_event_id?: number;
        };
        header?: {
          /** The `id` of the last event that you received. The stream continues after that event. */
          'Last-Event-ID'?: string;
        };
        path: {
          /** ID of the conversation. */
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
          /** ID of an agent or of one of its versions: `agt_…` or `agt_…@3`. */
          model: string;
          /** Messages so far, oldest first. If no user message follows the last reply, the agent sends the next message by itself, for example a greeting. */
          messages: {
            /** Author of the message. */
            role: ('system' | 'developer' | 'user' | 'assistant');
            /** Text of the message: a string, or a list of parts of type `text`. */
            content?: (string | null | {
              type?: ('text' | 'refusal');
            }[]);
            /** Has no effect. A value that would change the response is rejected (must be omitted: Parley runs the agent's tools). */
            tool_calls?: unknown;
            /** Has no effect. A value that would change the response is rejected (must be omitted: Parley runs the agent's tools). */
            function_call?: unknown;
          }[];
          /** If true, the response is streamed in chunks as server-sent events. */
          stream?: (boolean | null);
          /** `include_usage: true` adds the token usage to a stream. */
          stream_options?: unknown;
          /** Has no effect. A value that would change the response is rejected (must be 1: an agent returns one reply). */
          n?: unknown;
          /** Metadata of the conversation. `conversation_id` selects a conversation to continue. Values that are not strings are stored as JSON. */
          metadata?: { [name: string]: unknown };
          /** Your own ID for the user. It becomes the `user_id` of the conversation. */
          user?: unknown;
          /** Your own ID for the user. It is used if `user` is absent. */
          safety_identifier?: unknown;
          /** Has no effect. A value that would change the response is rejected (must be omitted: tools are declared in the agent, and Parley runs them). */
          tools?: unknown;
          /** Has no effect. A value that would change the response is rejected (must be omitted: tools are declared in the agent, and Parley runs them). */
          tool_choice?: unknown;
          /** Has no effect. A value that would change the response is rejected (must be omitted: tools are declared in the agent, and Parley runs them). */
          functions?: unknown;
          /** Has no effect. A value that would change the response is rejected (must be omitted: tools are declared in the agent, and Parley runs them). */
          function_call?: unknown;
          /** Has no effect. A value that would change the response is rejected (must be omitted: agents reply with text only). */
          audio?: unknown;
          /** Any value other than `text` is rejected. */
          modalities?: unknown;
          /** Any type other than `text` is rejected. */
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
    /** Read the model that represents an agent */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** ID of an agent, or of one of its versions that has been live. */
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
          /** `id` of the human agent who accepted the escalation. */
          accepted_by?: string;
          /** Earliest creation of the escalation in Unix seconds, inclusive. */
          created_after?: number;
          /** Latest creation of the escalation in Unix seconds, exclusive. */
          created_before?: number;
          /** Earliest end of the escalation in Unix seconds, inclusive. */
          finished_after?: number;
          /** Latest end of the escalation in Unix seconds, exclusive. */
          finished_before?: number;
          /** If true, lists only `missed` escalations. If false, lists only the others. */
          missed?: boolean;
          /** If true, includes test conversations. Default: false. */
          test?: boolean;
          /** Which items come first, by creation time. Default: newest. */
          order?: ('newest' | 'oldest');
          /** If true, the response has `total_count`. Default: false. */
          total?: boolean;
          /** Maximum number of items on a page. */
          limit?: number;
          /** The `next_cursor` of the previous page. */
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
            /** Total number of items on all pages. 10,000 means at least that many. Null if counting takes more than half a second. Absent unless `total=true`. */
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
          /** ID of the escalation. */
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
          /** ID of the escalation. */
          id: string;
        };
        cookie?: never;
      };
      requestBody: { content: {
        'application/json': {
          /** The human agent who takes over. */
          accepted_by: {
            /** Your own ID for the human agent. */
            id: string;
            /** Name of the human agent. It must be one line without control characters. */
            name: string;
          };
          /** Maximum number of seconds without a heartbeat or a message. After that, the escalation is released and waits for another human agent. If omitted, no heartbeat is required. */
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
          /** ID of the escalation. */
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
          /** ID of the escalation. */
          id: string;
        };
        cookie?: never;
      };
      requestBody?: { content: {
        'application/json': {
          /** `id` of the human agent who sends the request. If another human agent accepted the escalation, the response is 409 `already_accepted`. */
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
          /** ID of the escalation. */
          id: string;
        };
        cookie?: never;
      };
      requestBody?: { content: {
        'application/json': {
          /** `id` of the human agent who sends the request. If another human agent accepted the escalation, the response is 409 `already_accepted`. */
          by?: string;
          /** Team to ask next. Default: the same team. */
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
          /** ID of the escalation. */
          id: string;
        };
        cookie?: never;
      };
      requestBody?: { content: {
        'application/json': {
          /** `id` of the human agent who sends the request. If another human agent accepted the escalation, the response is 409 `already_accepted`. */
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
          /** ID of the escalation. */
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
    /** Send a message as the human agent */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** Makes a request safe to repeat. For 24 hours, the same request gets the same response, with `Idempotency-Replayed: true`. */
          'Idempotency-Key'?: string;
        };
        path: {
          /** ID of the escalation. */
          id: string;
        };
        cookie?: never;
      };
      requestBody: { content: {
        'application/json': {
          /** Text of the message. Must not be blank. */
          text: string;
          /** `id` of the human agent who sends the request. If another human agent accepted the escalation, the response is 409 `already_accepted`. */
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
    /** List the private notes about an escalation */
    get: {
      parameters: {
        query?: {
          /** Which items come first, by creation time. Default: newest. */
          order?: ('newest' | 'oldest');
          /** Maximum number of items on a page. */
          limit?: number;
          /** The `next_cursor` of the previous page. */
          cursor?: string;
        };
        header?: never;
        path: {
          /** ID of the escalation. */
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
    /** Add a private note about an escalation */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** Makes a request safe to repeat. For 24 hours, the same request gets the same response, with `Idempotency-Replayed: true`. */
          'Idempotency-Key'?: string;
        };
        path: {
          /** ID of the escalation. */
          id: string;
        };
        cookie?: never;
      };
      requestBody: { content: {
        'application/json': {
          /** Text of the note. Must not be blank. */
          text: string;
          /** Human agent who writes the note. */
          by?: {
            /** Your own ID for the human agent. */
            id: string;
            /** Name of the human agent. It must be one line without control characters. */
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
    /** Delete a private note about an escalation */
    delete: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** ID of the escalation. */
          id: string;
          /** ID of the note. */
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
          /** Which items come first, by creation time. Default: newest. */
          order?: ('newest' | 'oldest');
          /** Maximum number of items on a page. */
          limit?: number;
          /** The `next_cursor` of the previous page. */
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
          /** Title shown in the list. It must be a single line. */
          title: string;
          /** Text of the reply. Clients replace `{{name}}` when a human agent inserts the reply. Must not be blank. */
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
          /** ID of the canned reply. */
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
          /** ID of the canned reply. */
          id: string;
        };
        cookie?: never;
      };
      requestBody: { content: {
        'application/json': {
          /** Title shown in the list. It must be a single line. */
          title?: string;
          /** Text of the reply. Clients replace `{{name}}` when a human agent inserts the reply. Must not be blank. */
          text?: string;
        };
        'application/merge-patch+json': {
          /** Title shown in the list. It must be a single line. */
          title?: string;
          /** Text of the reply. Clients replace `{{name}}` when a human agent inserts the reply. Must not be blank. */
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
          /** ID of the canned reply. */
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
          /** ID of the agent. */
          id: string;
        };
        cookie?: never;
      };
      requestBody: { content: {
        'application/json': {
          /** The tool, in the format of an agent's `tools`. It does not have to be saved. */
          tool: {
            /** Type of the tool, which determines what happens when the agent uses it. */
            type: ('webhook' | 'end_call' | 'transfer_call' | 'knowledge_search' | 'handoff');
            /** Name by which the model calls the tool. Unique within the agent. Must contain only letters, digits, underscores and hyphens, and begin with a letter or an underscore. */
            name: string;
            /** Explains to the model when to use the tool. */
            description?: string;
            /** JSON Schema of the arguments that the model fills in; at most 64 KiB, 2000 members and elements, and 64 levels. */
            parameters?: { [name: string]: unknown };
            /** URL that a webhook tool calls. Must be an http or https URL in ASCII, such as https://example.com/hook, without a user name or password. */
            url?: string;
            /** HTTP method of a webhook tool. Default: POST. */
            method?: ('GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE');
            /** Extra headers that a webhook tool sends. */
            headers?: { [name: string]: string };
            /** Secret whose value is sent as a bearer token. It must have the label parley.dev/allow: "true". */
            secret_ref?: {
              /** Name of the Secret in the same namespace. Must be a DNS name: lower-case letters, digits, hyphens and dots, with a letter or digit at both ends. */
              name: string;
              /** Key in the Secret. Must consist of letters, digits, dots, hyphens and underscores. */
              key: string;
            };
            /** Secret with which requests are signed, in the same way as events. It must have the label parley.dev/allow: "true". */
            signing_secret_ref?: {
              /** Name of the Secret in the same namespace. Must be a DNS name: lower-case letters, digits, hyphens and dots, with a letter or digit at both ends. */
              name: string;
              /** Key in the Secret. Must consist of letters, digits, dots, hyphens and underscores. */
              key: string;
            };
            /** Maximum wait for the tool's whole response, in milliseconds. Default: 8000. */
            timeout_ms?: number;
            /** Agent in the same namespace to which a handoff tool hands over the conversation. Must be a DNS label: at most 63 lower-case letters, digits and hyphens, without a hyphen at either end. */
            agent?: string;
            /** Version of the handoff's target agent. Default: the target's active version at the time when this agent's version goes live. */
            version?: number;
            /** Bearer token, which responses never show. Parley stores it in a Secret of its own and sets `secret_ref`. Must have 1 to 8192 visible ASCII characters without spaces. */
            secret?: string;
            /** Signing key: `whsec_` followed by 24 to 64 bytes in base64. Responses never show it. Parley stores it in a Secret of its own and sets `signing_secret_ref`. */
            signing_secret?: string;
          };
          /** Arguments that the model would provide. They are validated against `parameters`. */
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
          /** Maximum number of items on a page. */
          limit?: number;
          /** The `next_cursor` of the previous page. */
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
          /** Agent that conducts the call. It must be published. Must be an ID like agt_01jdn0wzave008001tbgfjpkbe. */
          agent_id: string;
          direction?: ('inbound' | 'outbound');
          /** Caller’s number in E.164 format. Required for inbound calls. Must be a phone number such as +442071838750: a plus sign and 2 to 15 digits. */
          from?: string;
          /** Number to call, in E.164 format. Required for outbound calls. Must be a phone number such as +442071838750: a plus sign and 2 to 15 digits. */
          to?: string;
          /** Name of the TelephonyProvider that carries the call, or `simulated`. Must be a DNS label: at most 63 lower-case letters, digits and hyphens, without a hyphen at either end. */
          provider?: string;
          /** Your own ID for the user. */
          user_id?: string;
          /** What the agent should know about the user, as at most 64 KiB of JSON. `{{name}}` in the prompt and in the first message is replaced by the value of `name`. */
          variables?: { [name: string]: unknown };
          /** Your own key-value pairs. Parley stores and returns them, but does not interpret them. */
          metadata?: { [name: string]: string };
          /** Behavior of the other end if the provider is `simulated`. By default, it answers and stays silent. */
          simulated?: {
            /** Outcome of dialing: a person or voicemail answers, or nobody does. */
            answer?: ('answered' | 'busy' | 'no_answer' | 'failed' | 'voicemail');
            /** Duration of the ringing, in milliseconds. */
            ring_ms?: number;
            /** Turns of the user, in order. */
            turns?: {
              /** What the user says. Must not be blank. */
              text: string;
              /** Milliseconds to wait before this turn, counted from the end of the previous one. */
              after_ms?: number;
            }[];
            /** If true, the user hangs up after the last turn. If false, the line stays open until the call is ended or the user has been silent for too long. Default: true if there are turns. */
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
          /** ID of the call. */
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
          /** ID of the call. */
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
          /** ID of the call. */
          id: string;
        };
        cookie?: never;
      };
      requestBody: { content: {
        'application/json': {
          /** Telephone number in E.164 format. Must be a phone number such as +442071838750: a plus sign and 7 to 15 digits. */
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
          /** ID of the call. */
          id: string;
        };
        cookie?: never;
      };
      requestBody: { content: {
        'application/json': {
          /** Keys to press. Must contain only telephone keys (0-9, *, #, A-D) and w for a pause of half a second. */
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
    /** Answer a call from Twilio */
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
    /** Answer a call from Telnyx */
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
    /** Answer a call from Plivo */
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
          /** ID of the agent. */
          id: string;
        };
        cookie?: never;
      };
      requestBody: { content: {
        'application/json': {
          /** Text to speak. */
          text: string;
          /** Voice to use, with the fields of an agent’s `voice`. It need not be saved. Default: the agent’s declared voice. */
          voice?: {
            /** Speech provider (TTS): a ModelProvider with `speech` in the same namespace, or a provider that the carrier supports. */
            provider?: string;
            /** Speech model. Defaults to the provider's default model. */
            model?: string;
            /** The provider's ID for the voice. */
            voice_id?: string;
            /** Language that the voice speaks, as a BCP 47 tag. Must be a language tag, such as en or pt-BR. */
            language?: string;
            /** Speaking rate. 1 is normal speed. */
            speed?: number;
            /** Fallbacks in order of preference, used when the first provider fails. */
            fallback?: {
              /** Provider to fall back to. Defaults to the voice's provider. */
              provider?: string;
              /** Speech model. Defaults to the provider's default model. */
              model?: string;
              /** The provider's ID for the voice. Defaults to the agent's voice if the provider is the same, otherwise to the provider's default voice. */
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
    /** Read a customer's statistics */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Your own ID for the user (`user_id` of their conversations and calls), percent-encoded. */
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
          /** What happens to undelivered events about an erased conversation. `deliver` sends them without the text, `user_id` and `metadata` of the conversation. `cancel` cancels their deliveries. */
          events?: ('deliver' | 'cancel');
        };
        header?: never;
        path: {
          /** Your own ID for the user (`user_id` of their conversations and calls), percent-encoded. */
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
          /** Maximum number of items on a page. */
          limit?: number;
          /** The `next_cursor` of the previous page. */
          cursor?: string;
        };
        header?: never;
        path: {
          /** Your own ID for the user (`user_id` of their conversations and calls), percent-encoded. */
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
          /** Your own ID for the user (`user_id` of their conversations and calls), percent-encoded. */
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
    /** List customer erasures, newest first */
    get: {
      parameters: {
        query?: {
          status?: ('running' | 'done');
          /** Maximum number of items on a page. */
          limit?: number;
          /** The `next_cursor` of the previous page. */
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
    /** Read a customer erasure and its progress */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** ID of the erasure. */
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
          /** Maximum number of items on a page. */
          limit?: number;
          /** The `next_cursor` of the previous page. */
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
          /** Website to read. Only for type `website`. */
          website?: {
            /** Address of the first page. Must be an http or https URL in ASCII, such as https://example.com/hook, without a user name or password. */
            url: string;
            /** Maximum number of links between the first page and any other page. 0 reads only the first page. Default: 5. */
            max_depth?: number;
            /** Maximum number of pages to read. Default: 500. */
            max_pages?: number;
            /** Path patterns to include, such as /help/*. */
            include?: string[];
            /** Path patterns to exclude. */
            exclude?: string[];
            /** Minimum time between two requests, in milliseconds. 0 allows concurrent requests. Default: 500. */
            delay_ms?: number;
          };
          /** Text of the source, plain or Markdown. Only for type `text`. */
          text?: string;
          /** System to read from. Only for type `integration`. */
          integration?: {
            /** Address of the feed to read documents from. Must be an http or https URL in ASCII, such as https://example.com/hook, without a user name or password. */
            url: string;
            /** Additional headers for requests. */
            headers?: { [name: string]: string };
            /** Secret whose value is sent as a bearer token. It must have the label parley.dev/allow: "true". */
            secret_ref?: {
              /** Name of the Secret in the same namespace. Must be a DNS name: lower-case letters, digits, hyphens and dots, with a letter or digit at both ends. */
              name: string;
              /** Key in the Secret. Must consist of letters, digits, dots, hyphens and underscores. */
              key: string;
            };
            /** Secret with which requests are signed, in the same way as events. It must have the label parley.dev/allow: "true". */
            signing_secret_ref?: {
              /** Name of the Secret in the same namespace. Must be a DNS name: lower-case letters, digits, hyphens and dots, with a letter or digit at both ends. */
              name: string;
              /** Key in the Secret. Must consist of letters, digits, dots, hyphens and underscores. */
              key: string;
            };
          };
          /** When to read the source again, as a cron expression in UTC. Only for types `website` and `integration`. Must be @hourly, @daily, @weekly, @monthly or a cron expression of five fields, such as 0 3 * * *. */
          schedule?: string;
          /** Provider and model that embed the passages. Defaults to the default provider if it supports embeddings. */
          embeddings?: {
            /** Name of a ModelProvider in the same namespace, or `default` for the default provider. Must be a DNS label: at most 63 lower-case letters, digits and hyphens, without a hyphen at either end. */
            provider: string;
            /** Embedding model. Defaults to the provider's embeddings.defaultModel. */
            model?: string;
          };
          /** Your own key-value pairs. Agents can use them to select sources. */
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
          /** ID of the knowledge source. */
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
          /** An `ETag` from an earlier response, or `*`. If the resource has changed since then, the request is rejected with 412. */
          'If-Match'?: string;
        };
        path: {
          /** ID of the knowledge source. */
          id: string;
        };
        cookie?: never;
      };
      requestBody: { content: {
        'application/json': {
          type?: unknown;
          /** Website to read. Only for type `website`. */
          website?: ({
            /** Address of the first page. Must be an http or https URL in ASCII, such as https://example.com/hook, without a user name or password. */
            url?: (string | null);
            /** Maximum number of links between the first page and any other page. 0 reads only the first page. Default: 5. */
            max_depth?: (number | null);
            /** Maximum number of pages to read. Default: 500. */
            max_pages?: (number | null);
            /** Path patterns to include, such as /help/*. */
            include?: (string[] | null);
            /** Path patterns to exclude. */
            exclude?: (string[] | null);
            /** Minimum time between two requests, in milliseconds. 0 allows concurrent requests. Default: 500. */
            delay_ms?: (number | null);
          } | null);
          /** Text of the source, plain or Markdown. Only for type `text`. */
          text?: (string | null);
          /** System to read from. Only for type `integration`. */
          integration?: ({
            /** Address of the feed to read documents from. Must be an http or https URL in ASCII, such as https://example.com/hook, without a user name or password. */
            url?: (string | null);
            /** Additional headers for requests. */
            headers?: ({ [name: string]: (string | null) } | null);
            /** Secret whose value is sent as a bearer token. It must have the label parley.dev/allow: "true". */
            secret_ref?: ({
              /** Name of the Secret in the same namespace. Must be a DNS name: lower-case letters, digits, hyphens and dots, with a letter or digit at both ends. */
              name?: (string | null);
              /** Key in the Secret. Must consist of letters, digits, dots, hyphens and underscores. */
              key?: (string | null);
            } | null);
            /** Secret with which requests are signed, in the same way as events. It must have the label parley.dev/allow: "true". */
            signing_secret_ref?: ({
              /** Name of the Secret in the same namespace. Must be a DNS name: lower-case letters, digits, hyphens and dots, with a letter or digit at both ends. */
              name?: (string | null);
              /** Key in the Secret. Must consist of letters, digits, dots, hyphens and underscores. */
              key?: (string | null);
            } | null);
          } | null);
          /** When to read the source again, as a cron expression in UTC. Only for types `website` and `integration`. Must be @hourly, @daily, @weekly, @monthly or a cron expression of five fields, such as 0 3 * * *. */
          schedule?: (string | null);
          /** Provider and model that embed the passages. Defaults to the default provider if it supports embeddings. */
          embeddings?: ({
            /** Name of a ModelProvider in the same namespace, or `default` for the default provider. Must be a DNS label: at most 63 lower-case letters, digits and hyphens, without a hyphen at either end. */
            provider?: (string | null);
            /** Embedding model. Defaults to the provider's embeddings.defaultModel. */
            model?: (string | null);
          } | null);
          /** Your own key-value pairs. Agents can use them to select sources. */
          metadata?: ({ [name: string]: (string | null) } | null);
          name?: unknown;
        };
        'application/merge-patch+json': {
          type?: unknown;
          /** Website to read. Only for type `website`. */
          website?: ({
            /** Address of the first page. Must be an http or https URL in ASCII, such as https://example.com/hook, without a user name or password. */
            url?: (string | null);
            /** Maximum number of links between the first page and any other page. 0 reads only the first page. Default: 5. */
            max_depth?: (number | null);
            /** Maximum number of pages to read. Default: 500. */
            max_pages?: (number | null);
            /** Path patterns to include, such as /help/*. */
            include?: (string[] | null);
            /** Path patterns to exclude. */
            exclude?: (string[] | null);
            /** Minimum time between two requests, in milliseconds. 0 allows concurrent requests. Default: 500. */
            delay_ms?: (number | null);
          } | null);
          /** Text of the source, plain or Markdown. Only for type `text`. */
          text?: (string | null);
          /** System to read from. Only for type `integration`. */
          integration?: ({
            /** Address of the feed to read documents from. Must be an http or https URL in ASCII, such as https://example.com/hook, without a user name or password. */
            url?: (string | null);
            /** Additional headers for requests. */
            headers?: ({ [name: string]: (string | null) } | null);
            /** Secret whose value is sent as a bearer token. It must have the label parley.dev/allow: "true". */
            secret_ref?: ({
              /** Name of the Secret in the same namespace. Must be a DNS name: lower-case letters, digits, hyphens and dots, with a letter or digit at both ends. */
              name?: (string | null);
              /** Key in the Secret. Must consist of letters, digits, dots, hyphens and underscores. */
              key?: (string | null);
            } | null);
            /** Secret with which requests are signed, in the same way as events. It must have the label parley.dev/allow: "true". */
            signing_secret_ref?: ({
              /** Name of the Secret in the same namespace. Must be a DNS name: lower-case letters, digits, hyphens and dots, with a letter or digit at both ends. */
              name?: (string | null);
              /** Key in the Secret. Must consist of letters, digits, dots, hyphens and underscores. */
              key?: (string | null);
            } | null);
          } | null);
          /** When to read the source again, as a cron expression in UTC. Only for types `website` and `integration`. Must be @hourly, @daily, @weekly, @monthly or a cron expression of five fields, such as 0 3 * * *. */
          schedule?: (string | null);
          /** Provider and model that embed the passages. Defaults to the default provider if it supports embeddings. */
          embeddings?: ({
            /** Name of a ModelProvider in the same namespace, or `default` for the default provider. Must be a DNS label: at most 63 lower-case letters, digits and hyphens, without a hyphen at either end. */
            provider?: (string | null);
            /** Embedding model. Defaults to the provider's embeddings.defaultModel. */
            model?: (string | null);
          } | null);
          /** Your own key-value pairs. Agents can use them to select sources. */
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
          /** An `ETag` from an earlier response, or `*`. If the resource has changed since then, the request is rejected with 412. */
          'If-Match'?: string;
        };
        path: {
          /** ID of the knowledge source. */
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
    /** Upload the content of a file source */
    put: {
      parameters: {
        query?: {
          /** Name of the document. */
          file_name?: string;
        };
        header?: never;
        path: {
          /** ID of the knowledge source. */
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
          /** Maximum number of items on a page. */
          limit?: number;
          /** The `next_cursor` of the previous page. */
          cursor?: string;
        };
        header?: never;
        path: {
          /** ID of the knowledge source. */
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
          /** ID of the knowledge source. */
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
          /** Maximum number of items on a page. */
          limit?: number;
          /** The `next_cursor` of the previous page. */
          cursor?: string;
        };
        header?: never;
        path: {
          /** ID of the knowledge source. */
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
          /** ID of the knowledge source. */
          id: string;
          /** ID of the sync. */
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
          /** ID of the knowledge source. */
          id: string;
          /** ID of the sync. */
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
          /** Maximum number of passages to return. */
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
          /** ID of the passage. */
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
          /** Gaps that were created at this time or later, in Unix seconds. */
          created_after?: number;
          /** Gaps that were created before this time, in Unix seconds. */
          created_before?: number;
          /** Gaps whose question was last asked at this time or later, in Unix seconds. */
          asked_after?: number;
          /** Minimum number of times that the question was asked. */
          count_min?: number;
          /** Text that the question contains. The search ignores case. */
          q?: string;
          /** `created`: newest first. `count`: most frequent first. `last_asked_at`: most recently asked first. */
          sort?: ('created' | 'count' | 'last_asked_at');
          /** Maximum number of items on a page. */
          limit?: number;
          /** The `next_cursor` of the previous page. */
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
          /** ID of the knowledge gap. */
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
    /** Change the answer to a resolved gap */
    patch: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** ID of the knowledge gap. */
          id: string;
        };
        cookie?: never;
      };
      requestBody: { content: {
        'application/json': {
          /** Text that the agent uses to answer the question from now on. Null withdraws the current answer. */
          answer?: (string | null);
        };
        'application/merge-patch+json': {
          /** Text that the agent uses to answer the question from now on. Null withdraws the current answer. */
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
          /** ID of the knowledge gap. */
          id: string;
        };
        cookie?: never;
      };
      requestBody?: { content: {
        'application/json': {
          /** Text that the agent uses to answer the question from now on. If absent, the gap is resolved without an answer. */
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
    /** Withdraw the answer to a gap */
    delete: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** ID of the knowledge gap. */
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
          /** ID of the knowledge gap. */
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
          /** Name by which agents refer to the provider. Must be unique in the namespace and must not be `default`. Must be a DNS label: at most 63 lower-case letters, digits and hyphens, without a hyphen at either end. */
          name?: string;
          /** Base URL of an OpenAI-compatible API. Must be an http or https URL in ASCII, such as https://api.example.com/v1, without a user name, password, query or fragment. */
          base_url: string;
          /** Secret that contains the API key. It must have the label parley.dev/allow: "true". If absent, no key is sent. */
          api_key_secret_ref?: {
            /** Name of the Secret in the same namespace. Must be a DNS name: lower-case letters, digits, hyphens and dots, with a letter or digit at both ends. */
            name: string;
            /** Key in the Secret. Must consist of letters, digits, dots, hyphens and underscores. */
            key: string;
          };
          /** Header for the key: `authorization` (the default, as a bearer token), `api-key` (Azure) or `x-api-key`. */
          api_key_header?: ('authorization' | 'api-key' | 'x-api-key');
          /** Value of the OpenAI-Organization header, for providers that support it. Must be visible ASCII without spaces. */
          organization?: string;
          /** Value of the OpenAI-Project header, for providers that support it. Must be visible ASCII without spaces. */
          project?: string;
          /** Extra headers for each request, stored and shown in clear text. Do not put secrets here. */
          headers?: { [name: string]: string };
          /** Extra query parameters for each request, stored and shown in clear text, such as Azure's api-version. */
          query?: { [name: string]: string };
          /** Chat models: which models agents may use, timeouts and prices. */
          chat?: {
            /** Default chat model for agents, as the provider names it. */
            default_model?: string;
            /** Chat models that agents may use. If absent, agents may use any model. */
            models?: string[];
            /** Timeouts for a response of a chat model. */
            timeouts?: {
              /** Maximum wait for the first part of a response, in milliseconds. Default: 15000. */
              first_token_ms?: number;
              /** Maximum wait between two parts of a response, in milliseconds. Default: 15000. */
              between_tokens_ms?: number;
              /** Maximum duration of a response, in milliseconds. Default: 120000. */
              total_ms?: number;
            };
            /** Token prices for all chat models of the provider. They determine the cost of a turn. */
            pricing?: {
              /** Currency of the prices (ISO 4217). Must be a currency code of three capital letters, such as USD. */
              currency: string;
              /** Price per million input tokens. */
              input_per_million_tokens: number;
              /** Price per million output tokens. */
              output_per_million_tokens: number;
              /** Price per million input tokens that the provider reads from its cache. Defaults to the price of input tokens. */
              cached_input_per_million_tokens?: number;
            };
          };
          /** Embedding models, which allow searches to find knowledge by its meaning. */
          embeddings?: {
            /** Default embedding model for knowledge sources. */
            default_model: string;
            /** Number of embedding dimensions to request, for models that support it. Defaults to the model's own number. */
            dimensions?: number;
            /** Maximum number of texts in one request. Default: 64. */
            batch_size?: number;
          };
          /** Speech models (TTS), through /audio/speech. */
          speech?: {
            /** Default speech model for agents. */
            default_model: string;
            /** Default voice for agents, as the provider names it. */
            default_voice: string;
            /** Speech models that agents may use. If absent, agents may use any model. */
            models?: string[];
          };
          /** Transcription models (STT), through /audio/transcriptions. */
          transcription?: {
            /** Default transcription model for agents. */
            default_model: string;
            /** Transcription models that agents may use. If absent, agents may use any model. */
            models?: string[];
          };
          /** Limits on requests to the provider. */
          limits?: {
            /** Maximum number of concurrent requests from each API process. Unlimited if absent. */
            max_concurrent_requests?: number;
          };
          /** Your own key-value pairs. Parley stores and returns them, but does not interpret them. */
          metadata?: { [name: string]: string };
          /** The provider's API key, which responses never show. Parley stores it in a Secret of its own and sets `api_key_secret_ref`. A new key replaces the earlier one. Must be visible ASCII without spaces. */
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
          /** ID of the model provider. */
          id: string;
        };
        cookie?: never;
      };
      requestBody?: { content: {
        'application/json': {
          /** Base URL of an OpenAI-compatible API. Must be an http or https URL in ASCII, such as https://api.example.com/v1, without a user name, password, query or fragment. */
          base_url?: (string | null);
          /** Secret that contains the API key. It must have the label parley.dev/allow: "true". If absent, no key is sent. */
          api_key_secret_ref?: ({
            /** Name of the Secret in the same namespace. Must be a DNS name: lower-case letters, digits, hyphens and dots, with a letter or digit at both ends. */
            name?: (string | null);
            /** Key in the Secret. Must consist of letters, digits, dots, hyphens and underscores. */
            key?: (string | null);
          } | null);
          /** Header for the key: `authorization` (the default, as a bearer token), `api-key` (Azure) or `x-api-key`. */
          api_key_header?: ('authorization' | 'api-key' | 'x-api-key' | null);
          /** Value of the OpenAI-Organization header, for providers that support it. Must be visible ASCII without spaces. */
          organization?: (string | null);
          /** Value of the OpenAI-Project header, for providers that support it. Must be visible ASCII without spaces. */
          project?: (string | null);
          /** Extra headers for each request, stored and shown in clear text. Do not put secrets here. */
          headers?: ({ [name: string]: (string | null) } | null);
          /** Extra query parameters for each request, stored and shown in clear text, such as Azure's api-version. */
          query?: ({ [name: string]: (string | null) } | null);
          /** Chat models: which models agents may use, timeouts and prices. */
          chat?: ({
            /** Default chat model for agents, as the provider names it. */
            default_model?: (string | null);
            /** Chat models that agents may use. If absent, agents may use any model. */
            models?: (string[] | null);
            /** Timeouts for a response of a chat model. */
            timeouts?: ({
              /** Maximum wait for the first part of a response, in milliseconds. Default: 15000. */
              first_token_ms?: (number | null);
              /** Maximum wait between two parts of a response, in milliseconds. Default: 15000. */
              between_tokens_ms?: (number | null);
              /** Maximum duration of a response, in milliseconds. Default: 120000. */
              total_ms?: (number | null);
            } | null);
            /** Token prices for all chat models of the provider. They determine the cost of a turn. */
            pricing?: ({
              /** Currency of the prices (ISO 4217). Must be a currency code of three capital letters, such as USD. */
              currency?: (string | null);
              /** Price per million input tokens. */
              input_per_million_tokens?: (number | null);
              /** Price per million output tokens. */
              output_per_million_tokens?: (number | null);
              /** Price per million input tokens that the provider reads from its cache. Defaults to the price of input tokens. */
              cached_input_per_million_tokens?: (number | null);
            } | null);
          } | null);
          /** Embedding models, which allow searches to find knowledge by its meaning. */
          embeddings?: ({
            /** Default embedding model for knowledge sources. */
            default_model?: (string | null);
            /** Number of embedding dimensions to request, for models that support it. Defaults to the model's own number. */
            dimensions?: (number | null);
            /** Maximum number of texts in one request. Default: 64. */
            batch_size?: (number | null);
          } | null);
          /** Speech models (TTS), through /audio/speech. */
          speech?: ({
            /** Default speech model for agents. */
            default_model?: (string | null);
            /** Default voice for agents, as the provider names it. */
            default_voice?: (string | null);
            /** Speech models that agents may use. If absent, agents may use any model. */
            models?: (string[] | null);
          } | null);
          /** Transcription models (STT), through /audio/transcriptions. */
          transcription?: ({
            /** Default transcription model for agents. */
            default_model?: (string | null);
            /** Transcription models that agents may use. If absent, agents may use any model. */
            models?: (string[] | null);
          } | null);
          /** Limits on requests to the provider. */
          limits?: ({
            /** Maximum number of concurrent requests from each API process. Unlimited if absent. */
            max_concurrent_requests?: (number | null);
          } | null);
          /** Your own key-value pairs. Parley stores and returns them, but does not interpret them. */
          metadata?: ({ [name: string]: (string | null) } | null);
          /** The provider's API key, which responses never show. Parley stores it in a Secret of its own and sets `api_key_secret_ref`. A new key replaces the earlier one. Must be visible ASCII without spaces. */
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
          /** Maximum number of items on a page. */
          limit?: number;
          /** The `next_cursor` of the previous page. */
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
          /** Name by which agents refer to the provider. Must be unique in the namespace and must not be `default`. Must be a DNS label: at most 63 lower-case letters, digits and hyphens, without a hyphen at either end. */
          name?: string;
          /** Base URL of an OpenAI-compatible API. Must be an http or https URL in ASCII, such as https://api.example.com/v1, without a user name, password, query or fragment. */
          base_url: string;
          /** Secret that contains the API key. It must have the label parley.dev/allow: "true". If absent, no key is sent. */
          api_key_secret_ref?: {
            /** Name of the Secret in the same namespace. Must be a DNS name: lower-case letters, digits, hyphens and dots, with a letter or digit at both ends. */
            name: string;
            /** Key in the Secret. Must consist of letters, digits, dots, hyphens and underscores. */
            key: string;
          };
          /** Header for the key: `authorization` (the default, as a bearer token), `api-key` (Azure) or `x-api-key`. */
          api_key_header?: ('authorization' | 'api-key' | 'x-api-key');
          /** Value of the OpenAI-Organization header, for providers that support it. Must be visible ASCII without spaces. */
          organization?: string;
          /** Value of the OpenAI-Project header, for providers that support it. Must be visible ASCII without spaces. */
          project?: string;
          /** Extra headers for each request, stored and shown in clear text. Do not put secrets here. */
          headers?: { [name: string]: string };
          /** Extra query parameters for each request, stored and shown in clear text, such as Azure's api-version. */
          query?: { [name: string]: string };
          /** Chat models: which models agents may use, timeouts and prices. */
          chat?: {
            /** Default chat model for agents, as the provider names it. */
            default_model?: string;
            /** Chat models that agents may use. If absent, agents may use any model. */
            models?: string[];
            /** Timeouts for a response of a chat model. */
            timeouts?: {
              /** Maximum wait for the first part of a response, in milliseconds. Default: 15000. */
              first_token_ms?: number;
              /** Maximum wait between two parts of a response, in milliseconds. Default: 15000. */
              between_tokens_ms?: number;
              /** Maximum duration of a response, in milliseconds. Default: 120000. */
              total_ms?: number;
            };
            /** Token prices for all chat models of the provider. They determine the cost of a turn. */
            pricing?: {
              /** Currency of the prices (ISO 4217). Must be a currency code of three capital letters, such as USD. */
              currency: string;
              /** Price per million input tokens. */
              input_per_million_tokens: number;
              /** Price per million output tokens. */
              output_per_million_tokens: number;
              /** Price per million input tokens that the provider reads from its cache. Defaults to the price of input tokens. */
              cached_input_per_million_tokens?: number;
            };
          };
          /** Embedding models, which allow searches to find knowledge by its meaning. */
          embeddings?: {
            /** Default embedding model for knowledge sources. */
            default_model: string;
            /** Number of embedding dimensions to request, for models that support it. Defaults to the model's own number. */
            dimensions?: number;
            /** Maximum number of texts in one request. Default: 64. */
            batch_size?: number;
          };
          /** Speech models (TTS), through /audio/speech. */
          speech?: {
            /** Default speech model for agents. */
            default_model: string;
            /** Default voice for agents, as the provider names it. */
            default_voice: string;
            /** Speech models that agents may use. If absent, agents may use any model. */
            models?: string[];
          };
          /** Transcription models (STT), through /audio/transcriptions. */
          transcription?: {
            /** Default transcription model for agents. */
            default_model: string;
            /** Transcription models that agents may use. If absent, agents may use any model. */
            models?: string[];
          };
          /** Limits on requests to the provider. */
          limits?: {
            /** Maximum number of concurrent requests from each API process. Unlimited if absent. */
            max_concurrent_requests?: number;
          };
          /** Your own key-value pairs. Parley stores and returns them, but does not interpret them. */
          metadata?: { [name: string]: string };
          /** The provider's API key, which responses never show. Parley stores it in a Secret of its own and sets `api_key_secret_ref`. A new key replaces the earlier one. Must be visible ASCII without spaces. */
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
          /** ID of the model provider. */
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
          /** An `ETag` from an earlier response, or `*`. If the resource has changed since then, the request is rejected with 412. */
          'If-Match'?: string;
        };
        path: {
          /** ID of the model provider. */
          id: string;
        };
        cookie?: never;
      };
      requestBody: { content: {
        'application/json': {
          /** Base URL of an OpenAI-compatible API. Must be an http or https URL in ASCII, such as https://api.example.com/v1, without a user name, password, query or fragment. */
          base_url?: (string | null);
          /** Secret that contains the API key. It must have the label parley.dev/allow: "true". If absent, no key is sent. */
          api_key_secret_ref?: ({
            /** Name of the Secret in the same namespace. Must be a DNS name: lower-case letters, digits, hyphens and dots, with a letter or digit at both ends. */
            name?: (string | null);
            /** Key in the Secret. Must consist of letters, digits, dots, hyphens and underscores. */
            key?: (string | null);
          } | null);
          /** Header for the key: `authorization` (the default, as a bearer token), `api-key` (Azure) or `x-api-key`. */
          api_key_header?: ('authorization' | 'api-key' | 'x-api-key' | null);
          /** Value of the OpenAI-Organization header, for providers that support it. Must be visible ASCII without spaces. */
          organization?: (string | null);
          /** Value of the OpenAI-Project header, for providers that support it. Must be visible ASCII without spaces. */
          project?: (string | null);
          /** Extra headers for each request, stored and shown in clear text. Do not put secrets here. */
          headers?: ({ [name: string]: (string | null) } | null);
          /** Extra query parameters for each request, stored and shown in clear text, such as Azure's api-version. */
          query?: ({ [name: string]: (string | null) } | null);
          /** Chat models: which models agents may use, timeouts and prices. */
          chat?: ({
            /** Default chat model for agents, as the provider names it. */
            default_model?: (string | null);
            /** Chat models that agents may use. If absent, agents may use any model. */
            models?: (string[] | null);
            /** Timeouts for a response of a chat model. */
            timeouts?: ({
              /** Maximum wait for the first part of a response, in milliseconds. Default: 15000. */
              first_token_ms?: (number | null);
              /** Maximum wait between two parts of a response, in milliseconds. Default: 15000. */
              between_tokens_ms?: (number | null);
              /** Maximum duration of a response, in milliseconds. Default: 120000. */
              total_ms?: (number | null);
            } | null);
            /** Token prices for all chat models of the provider. They determine the cost of a turn. */
            pricing?: ({
              /** Currency of the prices (ISO 4217). Must be a currency code of three capital letters, such as USD. */
              currency?: (string | null);
              /** Price per million input tokens. */
              input_per_million_tokens?: (number | null);
              /** Price per million output tokens. */
              output_per_million_tokens?: (number | null);
              /** Price per million input tokens that the provider reads from its cache. Defaults to the price of input tokens. */
              cached_input_per_million_tokens?: (number | null);
            } | null);
          } | null);
          /** Embedding models, which allow searches to find knowledge by its meaning. */
          embeddings?: ({
            /** Default embedding model for knowledge sources. */
            default_model?: (string | null);
            /** Number of embedding dimensions to request, for models that support it. Defaults to the model's own number. */
            dimensions?: (number | null);
            /** Maximum number of texts in one request. Default: 64. */
            batch_size?: (number | null);
          } | null);
          /** Speech models (TTS), through /audio/speech. */
          speech?: ({
            /** Default speech model for agents. */
            default_model?: (string | null);
            /** Default voice for agents, as the provider names it. */
            default_voice?: (string | null);
            /** Speech models that agents may use. If absent, agents may use any model. */
            models?: (string[] | null);
          } | null);
          /** Transcription models (STT), through /audio/transcriptions. */
          transcription?: ({
            /** Default transcription model for agents. */
            default_model?: (string | null);
            /** Transcription models that agents may use. If absent, agents may use any model. */
            models?: (string[] | null);
          } | null);
          /** Limits on requests to the provider. */
          limits?: ({
            /** Maximum number of concurrent requests from each API process. Unlimited if absent. */
            max_concurrent_requests?: (number | null);
          } | null);
          /** Your own key-value pairs. Parley stores and returns them, but does not interpret them. */
          metadata?: ({ [name: string]: (string | null) } | null);
          /** The provider's API key, which responses never show. Parley stores it in a Secret of its own and sets `api_key_secret_ref`. A new key replaces the earlier one. Must be visible ASCII without spaces. */
          api_key?: (string | null);
          name?: unknown;
        };
        'application/merge-patch+json': {
          /** Base URL of an OpenAI-compatible API. Must be an http or https URL in ASCII, such as https://api.example.com/v1, without a user name, password, query or fragment. */
          base_url?: (string | null);
          /** Secret that contains the API key. It must have the label parley.dev/allow: "true". If absent, no key is sent. */
          api_key_secret_ref?: ({
            /** Name of the Secret in the same namespace. Must be a DNS name: lower-case letters, digits, hyphens and dots, with a letter or digit at both ends. */
            name?: (string | null);
            /** Key in the Secret. Must consist of letters, digits, dots, hyphens and underscores. */
            key?: (string | null);
          } | null);
          /** Header for the key: `authorization` (the default, as a bearer token), `api-key` (Azure) or `x-api-key`. */
          api_key_header?: ('authorization' | 'api-key' | 'x-api-key' | null);
          /** Value of the OpenAI-Organization header, for providers that support it. Must be visible ASCII without spaces. */
          organization?: (string | null);
          /** Value of the OpenAI-Project header, for providers that support it. Must be visible ASCII without spaces. */
          project?: (string | null);
          /** Extra headers for each request, stored and shown in clear text. Do not put secrets here. */
          headers?: ({ [name: string]: (string | null) } | null);
          /** Extra query parameters for each request, stored and shown in clear text, such as Azure's api-version. */
          query?: ({ [name: string]: (string | null) } | null);
          /** Chat models: which models agents may use, timeouts and prices. */
          chat?: ({
            /** Default chat model for agents, as the provider names it. */
            default_model?: (string | null);
            /** Chat models that agents may use. If absent, agents may use any model. */
            models?: (string[] | null);
            /** Timeouts for a response of a chat model. */
            timeouts?: ({
              /** Maximum wait for the first part of a response, in milliseconds. Default: 15000. */
              first_token_ms?: (number | null);
              /** Maximum wait between two parts of a response, in milliseconds. Default: 15000. */
              between_tokens_ms?: (number | null);
              /** Maximum duration of a response, in milliseconds. Default: 120000. */
              total_ms?: (number | null);
            } | null);
            /** Token prices for all chat models of the provider. They determine the cost of a turn. */
            pricing?: ({
              /** Currency of the prices (ISO 4217). Must be a currency code of three capital letters, such as USD. */
              currency?: (string | null);
              /** Price per million input tokens. */
              input_per_million_tokens?: (number | null);
              /** Price per million output tokens. */
              output_per_million_tokens?: (number | null);
              /** Price per million input tokens that the provider reads from its cache. Defaults to the price of input tokens. */
              cached_input_per_million_tokens?: (number | null);
            } | null);
          } | null);
          /** Embedding models, which allow searches to find knowledge by its meaning. */
          embeddings?: ({
            /** Default embedding model for knowledge sources. */
            default_model?: (string | null);
            /** Number of embedding dimensions to request, for models that support it. Defaults to the model's own number. */
            dimensions?: (number | null);
            /** Maximum number of texts in one request. Default: 64. */
            batch_size?: (number | null);
          } | null);
          /** Speech models (TTS), through /audio/speech. */
          speech?: ({
            /** Default speech model for agents. */
            default_model?: (string | null);
            /** Default voice for agents, as the provider names it. */
            default_voice?: (string | null);
            /** Speech models that agents may use. If absent, agents may use any model. */
            models?: (string[] | null);
          } | null);
          /** Transcription models (STT), through /audio/transcriptions. */
          transcription?: ({
            /** Default transcription model for agents. */
            default_model?: (string | null);
            /** Transcription models that agents may use. If absent, agents may use any model. */
            models?: (string[] | null);
          } | null);
          /** Limits on requests to the provider. */
          limits?: ({
            /** Maximum number of concurrent requests from each API process. Unlimited if absent. */
            max_concurrent_requests?: (number | null);
          } | null);
          /** Your own key-value pairs. Parley stores and returns them, but does not interpret them. */
          metadata?: ({ [name: string]: (string | null) } | null);
          /** The provider's API key, which responses never show. Parley stores it in a Secret of its own and sets `api_key_secret_ref`. A new key replaces the earlier one. Must be visible ASCII without spaces. */
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
          /** An `ETag` from an earlier response, or `*`. If the resource has changed since then, the request is rejected with 412. */
          'If-Match'?: string;
        };
        path: {
          /** ID of the model provider. */
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
          /** Maximum number of items on a page. */
          limit?: number;
          /** The `next_cursor` of the previous page. */
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
          /** Name by which calls refer to the provider. Must be unique in the namespace and must not be `simulated`. Must be a DNS label: at most 63 lower-case letters, digits and hyphens, without a hyphen at either end. */
          name?: string;
          /** Type of the carrier's API. For a Twilio-compatible API, use twilio. */
          type: ('twilio' | 'telnyx' | 'plivo');
          /** ID of the account at the carrier: for Twilio, AC…; for Telnyx, the user ID; for Plivo, the Auth ID. Must be an account ID made up of letters, digits, hyphens and underscores. */
          account_id: string;
          /** Secret with the token for the carrier's API: for Twilio, the auth token, which also signs the carrier's requests; for Telnyx, an API key; for Plivo, the Auth Token, which also signs its requests. It must carry the label parley.dev/allow: "true". */
          auth_token_secret_ref?: {
            /** Name of the Secret in the same namespace. Must be a DNS name: lower-case letters, digits, hyphens and dots, with a letter or digit at both ends. */
            name: string;
            /** Key in the Secret. Must consist of letters, digits, dots, hyphens and underscores. */
            key: string;
          };
          /** For type telnyx: the account's public key, which verifies the carrier's requests. Must be the account's public key as the carrier shows it: 44 characters, which are 32 bytes in base64. */
          public_key?: string;
          /** For type telnyx: the ID of the TeXML application that places calls. Must be an account ID made up of letters, digits, hyphens and underscores. */
          application_id?: string;
          /** Base URL of the carrier's API. Default: https://api.twilio.com or https://api.telnyx.com or https://api.plivo.com. Must be an http or https URL in ASCII, such as https://api.example.com/v1, without a user name, password, query or fragment. */
          api_url?: string;
          /** Numbers of the account and the agents that answer them. Within a namespace, a number belongs to only one provider. */
          numbers?: {
            /** Telephone number in E.164 format. Must be a phone number such as +442071838750: a plus sign and 7 to 15 digits. */
            number: string;
            /** Agent in the same namespace that answers this number. Must be a DNS label: at most 63 lower-case letters, digits and hyphens, without a hyphen at either end. */
            agent: string;
            /** Version of the agent. Default: the version that is live when a call comes in. */
            version?: number;
            /** Hours during which the number is answered. Default: always. Outside these hours, callers hear `hours.closedMessage` or, if it is not set, `inbound.closedMessage`. */
            hours?: {
              /** IANA time zone in which the hours apply. Must be an IANA time zone name, such as Europe/Berlin. */
              time_zone: string;
              /** Opening periods. Each period applies on all of the days that it lists. */
              open: {
                /** Days of the week. */
                days: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[];
                /** Start of the period, such as 09:00. Must be a time from 00:00 to 24:00, such as 09:30. */
                from: string;
                /** End of the period, exclusive, such as 17:30. 24:00 is the end of the day. Must be a time from 00:00 to 24:00, such as 09:30. */
                to: string;
              }[];
              /** Dates without opening periods, such as holidays. */
              closed_on?: string[];
              /** Message to users outside these hours. {{opens}} is replaced by the time at which the next opening period starts. */
              closed_message?: string;
            };
          }[];
          /** Settings for outbound calls. If absent, the provider may not place calls. */
          outbound?: {
            /** Countries whose numbers may be called, as ISO 3166-1 codes. */
            countries: string[];
            /** Maximum number of concurrent outbound calls. Default: 10. */
            max_concurrent_calls?: number;
            /** Maximum number of calls placed per minute. Default: 60. */
            max_calls_per_minute?: number;
            /** Seconds to ring before the call counts as not answered. Default: 30. */
            ring_sec?: number;
            /** Text spoken if voicemail answers. Default: none. */
            voicemail_message?: string;
          };
          /** Limit on inbound calls, and messages for callers whom no agent can answer. */
          inbound?: {
            /** Maximum number of concurrent inbound calls. Default: 100. */
            max_concurrent_calls?: number;
            /** Text spoken to callers while the maximum number of inbound calls is in progress. Default: a busy tone. */
            busy_message?: string;
            /** Text spoken to callers if no agent can answer. */
            closed_message?: string;
          };
          /** Your own key-value pairs. Parley stores and returns them, but does not interpret them. */
          metadata?: { [name: string]: string };
          /** Token for the carrier's API. Responses never contain it. Parley stores it in a Secret of its own and sets `auth_token_secret_ref`. A new token replaces the previous one. Must be visible ASCII without spaces. */
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
          /** ID of the telephony provider. */
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
          /** An `ETag` from an earlier response, or `*`. If the resource has changed since then, the request is rejected with 412. */
          'If-Match'?: string;
        };
        path: {
          /** ID of the telephony provider. */
          id: string;
        };
        cookie?: never;
      };
      requestBody: { content: {
        'application/json': {
          /** Type of the carrier's API. For a Twilio-compatible API, use twilio. */
          type?: ('twilio' | 'telnyx' | 'plivo' | null);
          /** ID of the account at the carrier: for Twilio, AC…; for Telnyx, the user ID; for Plivo, the Auth ID. Must be an account ID made up of letters, digits, hyphens and underscores. */
          account_id?: (string | null);
          /** Secret with the token for the carrier's API: for Twilio, the auth token, which also signs the carrier's requests; for Telnyx, an API key; for Plivo, the Auth Token, which also signs its requests. It must carry the label parley.dev/allow: "true". */
          auth_token_secret_ref?: ({
            /** Name of the Secret in the same namespace. Must be a DNS name: lower-case letters, digits, hyphens and dots, with a letter or digit at both ends. */
            name?: (string | null);
            /** Key in the Secret. Must consist of letters, digits, dots, hyphens and underscores. */
            key?: (string | null);
          } | null);
          /** For type telnyx: the account's public key, which verifies the carrier's requests. Must be the account's public key as the carrier shows it: 44 characters, which are 32 bytes in base64. */
          public_key?: (string | null);
          /** For type telnyx: the ID of the TeXML application that places calls. Must be an account ID made up of letters, digits, hyphens and underscores. */
          application_id?: (string | null);
          /** Base URL of the carrier's API. Default: https://api.twilio.com or https://api.telnyx.com or https://api.plivo.com. Must be an http or https URL in ASCII, such as https://api.example.com/v1, without a user name, password, query or fragment. */
          api_url?: (string | null);
          /** Numbers of the account and the agents that answer them. Within a namespace, a number belongs to only one provider. */
          numbers?: ({
            /** Telephone number in E.164 format. Must be a phone number such as +442071838750: a plus sign and 7 to 15 digits. */
            number: string;
            /** Agent in the same namespace that answers this number. Must be a DNS label: at most 63 lower-case letters, digits and hyphens, without a hyphen at either end. */
            agent: string;
            /** Version of the agent. Default: the version that is live when a call comes in. */
            version?: number;
            /** Hours during which the number is answered. Default: always. Outside these hours, callers hear `hours.closedMessage` or, if it is not set, `inbound.closedMessage`. */
            hours?: {
              /** IANA time zone in which the hours apply. Must be an IANA time zone name, such as Europe/Berlin. */
              time_zone: string;
              /** Opening periods. Each period applies on all of the days that it lists. */
              open: {
                /** Days of the week. */
                days: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[];
                /** Start of the period, such as 09:00. Must be a time from 00:00 to 24:00, such as 09:30. */
                from: string;
                /** End of the period, exclusive, such as 17:30. 24:00 is the end of the day. Must be a time from 00:00 to 24:00, such as 09:30. */
                to: string;
              }[];
              /** Dates without opening periods, such as holidays. */
              closed_on?: string[];
              /** Message to users outside these hours. {{opens}} is replaced by the time at which the next opening period starts. */
              closed_message?: string;
            };
          }[] | null);
          /** Settings for outbound calls. If absent, the provider may not place calls. */
          outbound?: ({
            /** Countries whose numbers may be called, as ISO 3166-1 codes. */
            countries?: (string[] | null);
            /** Maximum number of concurrent outbound calls. Default: 10. */
            max_concurrent_calls?: (number | null);
            /** Maximum number of calls placed per minute. Default: 60. */
            max_calls_per_minute?: (number | null);
            /** Seconds to ring before the call counts as not answered. Default: 30. */
            ring_sec?: (number | null);
            /** Text spoken if voicemail answers. Default: none. */
            voicemail_message?: (string | null);
          } | null);
          /** Limit on inbound calls, and messages for callers whom no agent can answer. */
          inbound?: ({
            /** Maximum number of concurrent inbound calls. Default: 100. */
            max_concurrent_calls?: (number | null);
            /** Text spoken to callers while the maximum number of inbound calls is in progress. Default: a busy tone. */
            busy_message?: (string | null);
            /** Text spoken to callers if no agent can answer. */
            closed_message?: (string | null);
          } | null);
          /** Your own key-value pairs. Parley stores and returns them, but does not interpret them. */
          metadata?: ({ [name: string]: (string | null) } | null);
          /** Token for the carrier's API. Responses never contain it. Parley stores it in a Secret of its own and sets `auth_token_secret_ref`. A new token replaces the previous one. Must be visible ASCII without spaces. */
          auth_token?: (string | null);
          name?: unknown;
        };
        'application/merge-patch+json': {
          /** Type of the carrier's API. For a Twilio-compatible API, use twilio. */
          type?: ('twilio' | 'telnyx' | 'plivo' | null);
          /** ID of the account at the carrier: for Twilio, AC…; for Telnyx, the user ID; for Plivo, the Auth ID. Must be an account ID made up of letters, digits, hyphens and underscores. */
          account_id?: (string | null);
          /** Secret with the token for the carrier's API: for Twilio, the auth token, which also signs the carrier's requests; for Telnyx, an API key; for Plivo, the Auth Token, which also signs its requests. It must carry the label parley.dev/allow: "true". */
          auth_token_secret_ref?: ({
            /** Name of the Secret in the same namespace. Must be a DNS name: lower-case letters, digits, hyphens and dots, with a letter or digit at both ends. */
            name?: (string | null);
            /** Key in the Secret. Must consist of letters, digits, dots, hyphens and underscores. */
            key?: (string | null);
          } | null);
          /** For type telnyx: the account's public key, which verifies the carrier's requests. Must be the account's public key as the carrier shows it: 44 characters, which are 32 bytes in base64. */
          public_key?: (string | null);
          /** For type telnyx: the ID of the TeXML application that places calls. Must be an account ID made up of letters, digits, hyphens and underscores. */
          application_id?: (string | null);
          /** Base URL of the carrier's API. Default: https://api.twilio.com or https://api.telnyx.com or https://api.plivo.com. Must be an http or https URL in ASCII, such as https://api.example.com/v1, without a user name, password, query or fragment. */
          api_url?: (string | null);
          /** Numbers of the account and the agents that answer them. Within a namespace, a number belongs to only one provider. */
          numbers?: ({
            /** Telephone number in E.164 format. Must be a phone number such as +442071838750: a plus sign and 7 to 15 digits. */
            number: string;
            /** Agent in the same namespace that answers this number. Must be a DNS label: at most 63 lower-case letters, digits and hyphens, without a hyphen at either end. */
            agent: string;
            /** Version of the agent. Default: the version that is live when a call comes in. */
            version?: number;
            /** Hours during which the number is answered. Default: always. Outside these hours, callers hear `hours.closedMessage` or, if it is not set, `inbound.closedMessage`. */
            hours?: {
              /** IANA time zone in which the hours apply. Must be an IANA time zone name, such as Europe/Berlin. */
              time_zone: string;
              /** Opening periods. Each period applies on all of the days that it lists. */
              open: {
                /** Days of the week. */
                days: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[];
                /** Start of the period, such as 09:00. Must be a time from 00:00 to 24:00, such as 09:30. */
                from: string;
                /** End of the period, exclusive, such as 17:30. 24:00 is the end of the day. Must be a time from 00:00 to 24:00, such as 09:30. */
                to: string;
              }[];
              /** Dates without opening periods, such as holidays. */
              closed_on?: string[];
              /** Message to users outside these hours. {{opens}} is replaced by the time at which the next opening period starts. */
              closed_message?: string;
            };
          }[] | null);
          /** Settings for outbound calls. If absent, the provider may not place calls. */
          outbound?: ({
            /** Countries whose numbers may be called, as ISO 3166-1 codes. */
            countries?: (string[] | null);
            /** Maximum number of concurrent outbound calls. Default: 10. */
            max_concurrent_calls?: (number | null);
            /** Maximum number of calls placed per minute. Default: 60. */
            max_calls_per_minute?: (number | null);
            /** Seconds to ring before the call counts as not answered. Default: 30. */
            ring_sec?: (number | null);
            /** Text spoken if voicemail answers. Default: none. */
            voicemail_message?: (string | null);
          } | null);
          /** Limit on inbound calls, and messages for callers whom no agent can answer. */
          inbound?: ({
            /** Maximum number of concurrent inbound calls. Default: 100. */
            max_concurrent_calls?: (number | null);
            /** Text spoken to callers while the maximum number of inbound calls is in progress. Default: a busy tone. */
            busy_message?: (string | null);
            /** Text spoken to callers if no agent can answer. */
            closed_message?: (string | null);
          } | null);
          /** Your own key-value pairs. Parley stores and returns them, but does not interpret them. */
          metadata?: ({ [name: string]: (string | null) } | null);
          /** Token for the carrier's API. Responses never contain it. Parley stores it in a Secret of its own and sets `auth_token_secret_ref`. A new token replaces the previous one. Must be visible ASCII without spaces. */
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
          /** An `ETag` from an earlier response, or `*`. If the resource has changed since then, the request is rejected with 412. */
          'If-Match'?: string;
        };
        path: {
          /** ID of the telephony provider. */
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
    /** Create a token that lets a web page talk with the agent */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** Makes a request safe to repeat. For 24 hours, the same request gets the same response, with `Idempotency-Replayed: true`. */
          'Idempotency-Key'?: string;
        };
        path: {
          /** ID of the agent. */
          id: string;
        };
        cookie?: never;
      };
      requestBody?: { content: {
        'application/json': {
          /** Agent version to use. Defaults to the version that is live when the conversation starts. A test may use a version that was never live. */
          version?: number;
          /** Whether the talks are tests. Tests emit no events and are excluded from statistics. */
          test?: boolean;
          /** Your own ID for the visitor. */
          user_id?: string;
          /** What the agent should know about the user, as at most 64 KiB of JSON. `{{name}}` in the prompt and in the first message is replaced by the value of `name`. */
          variables?: { [name: string]: unknown };
          /** Your own key-value pairs. Parley stores and returns them, but does not interpret them. */
          metadata?: { [name: string]: string };
          /** Origin whose pages may use the token. Default: any. Must be an origin as browsers send it, such as https://shop.example.com or capacitor://localhost: a scheme (http only for localhost and 127.0.0.1), a host, an optional port, no path. */
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
    /** Get a token for a web page visitor */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody: { content: {
        'application/json': {
          /** Agent that the page talks with. Must be an ID like agt_01jdn0wzave008001tbgfjpkbe. */
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
          /** Maximum number of items on a page. */
          limit?: number;
          /** The `next_cursor` of the previous page. */
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
          /** Display name: letters, digits and symbols, separated by single spaces. */
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
          /** ID of the API key. */
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
          /** ID of the API key. */
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
          /** ID of the API key. */
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
          /** Token from the link that `parley start` prints. It works once. */
          sign_in_token?: string;
          /** Name of the person who signs in, as shown in histories. Required with `api_key`. Optional with `sign_in_token`, which already has a default name. */
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
          /** Maximum number of items on a page. */
          limit?: number;
          /** The `next_cursor` of the previous page. */
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
          /** ID of the session. */
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
          /** ID of the session. */
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
          /** Only entries created at or after this time, in Unix seconds. */
          created_after?: number;
          /** Only entries created before this time, in Unix seconds. */
          created_before?: number;
          /** Maximum number of items on a page. */
          limit?: number;
          /** The `next_cursor` of the previous page. */
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
          /** Signature with the second valid secret. Present only while the secret is being rotated. */
          'parley-signature-next'?: string;
          /** `id` of the body. */
          'parley-event-id': string;
          /** `type` of the body. */
          'parley-event-type': string;
          /** Number of the attempt. The first is 1. */
          'parley-delivery-attempt': number;
          /** Present only for test events, each of which is sent to a single endpoint. */
          'parley-test'?: 'true';
          /** `id` of the body (Standard Webhooks). */
          'webhook-id': string;
          /** Time of the attempt in Unix seconds. */
          'webhook-timestamp': number;
          /** One signature for each valid secret, separated by spaces. Each is `v1,` followed by base64 (Standard Webhooks). */
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
          /** Signature with the second valid secret. Present only while the secret is being rotated. */
          'parley-signature-next'?: string;
          /** `id` of the body. */
          'parley-event-id': string;
          /** `type` of the body. */
          'parley-event-type': string;
          /** Number of the attempt. The first is 1. */
          'parley-delivery-attempt': number;
          /** Present only for test events, each of which is sent to a single endpoint. */
          'parley-test'?: 'true';
          /** `id` of the body (Standard Webhooks). */
          'webhook-id': string;
          /** Time of the attempt in Unix seconds. */
          'webhook-timestamp': number;
          /** One signature for each valid secret, separated by spaces. Each is `v1,` followed by base64 (Standard Webhooks). */
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
          /** Signature with the second valid secret. Present only while the secret is being rotated. */
          'parley-signature-next'?: string;
          /** `id` of the body. */
          'parley-event-id': string;
          /** `type` of the body. */
          'parley-event-type': string;
          /** Number of the attempt. The first is 1. */
          'parley-delivery-attempt': number;
          /** Present only for test events, each of which is sent to a single endpoint. */
          'parley-test'?: 'true';
          /** `id` of the body (Standard Webhooks). */
          'webhook-id': string;
          /** Time of the attempt in Unix seconds. */
          'webhook-timestamp': number;
          /** One signature for each valid secret, separated by spaces. Each is `v1,` followed by base64 (Standard Webhooks). */
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
          /** Signature with the second valid secret. Present only while the secret is being rotated. */
          'parley-signature-next'?: string;
          /** `id` of the body. */
          'parley-event-id': string;
          /** `type` of the body. */
          'parley-event-type': string;
          /** Number of the attempt. The first is 1. */
          'parley-delivery-attempt': number;
          /** Present only for test events, each of which is sent to a single endpoint. */
          'parley-test'?: 'true';
          /** `id` of the body (Standard Webhooks). */
          'webhook-id': string;
          /** Time of the attempt in Unix seconds. */
          'webhook-timestamp': number;
          /** One signature for each valid secret, separated by spaces. Each is `v1,` followed by base64 (Standard Webhooks). */
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
          /** Signature with the second valid secret. Present only while the secret is being rotated. */
          'parley-signature-next'?: string;
          /** `id` of the body. */
          'parley-event-id': string;
          /** `type` of the body. */
          'parley-event-type': string;
          /** Number of the attempt. The first is 1. */
          'parley-delivery-attempt': number;
          /** Present only for test events, each of which is sent to a single endpoint. */
          'parley-test'?: 'true';
          /** `id` of the body (Standard Webhooks). */
          'webhook-id': string;
          /** Time of the attempt in Unix seconds. */
          'webhook-timestamp': number;
          /** One signature for each valid secret, separated by spaces. Each is `v1,` followed by base64 (Standard Webhooks). */
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
          /** Signature with the second valid secret. Present only while the secret is being rotated. */
          'parley-signature-next'?: string;
          /** `id` of the body. */
          'parley-event-id': string;
          /** `type` of the body. */
          'parley-event-type': string;
          /** Number of the attempt. The first is 1. */
          'parley-delivery-attempt': number;
          /** Present only for test events, each of which is sent to a single endpoint. */
          'parley-test'?: 'true';
          /** `id` of the body (Standard Webhooks). */
          'webhook-id': string;
          /** Time of the attempt in Unix seconds. */
          'webhook-timestamp': number;
          /** One signature for each valid secret, separated by spaces. Each is `v1,` followed by base64 (Standard Webhooks). */
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
          /** Signature with the second valid secret. Present only while the secret is being rotated. */
          'parley-signature-next'?: string;
          /** `id` of the body. */
          'parley-event-id': string;
          /** `type` of the body. */
          'parley-event-type': string;
          /** Number of the attempt. The first is 1. */
          'parley-delivery-attempt': number;
          /** Present only for test events, each of which is sent to a single endpoint. */
          'parley-test'?: 'true';
          /** `id` of the body (Standard Webhooks). */
          'webhook-id': string;
          /** Time of the attempt in Unix seconds. */
          'webhook-timestamp': number;
          /** One signature for each valid secret, separated by spaces. Each is `v1,` followed by base64 (Standard Webhooks). */
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
          /** Signature with the second valid secret. Present only while the secret is being rotated. */
          'parley-signature-next'?: string;
          /** `id` of the body. */
          'parley-event-id': string;
          /** `type` of the body. */
          'parley-event-type': string;
          /** Number of the attempt. The first is 1. */
          'parley-delivery-attempt': number;
          /** Present only for test events, each of which is sent to a single endpoint. */
          'parley-test'?: 'true';
          /** `id` of the body (Standard Webhooks). */
          'webhook-id': string;
          /** Time of the attempt in Unix seconds. */
          'webhook-timestamp': number;
          /** One signature for each valid secret, separated by spaces. Each is `v1,` followed by base64 (Standard Webhooks). */
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
          /** Signature with the second valid secret. Present only while the secret is being rotated. */
          'parley-signature-next'?: string;
          /** `id` of the body. */
          'parley-event-id': string;
          /** `type` of the body. */
          'parley-event-type': string;
          /** Number of the attempt. The first is 1. */
          'parley-delivery-attempt': number;
          /** Present only for test events, each of which is sent to a single endpoint. */
          'parley-test'?: 'true';
          /** `id` of the body (Standard Webhooks). */
          'webhook-id': string;
          /** Time of the attempt in Unix seconds. */
          'webhook-timestamp': number;
          /** One signature for each valid secret, separated by spaces. Each is `v1,` followed by base64 (Standard Webhooks). */
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
