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
    /** What was wrong (RFC 9457). */
    Problem: {
      type: string;
      title: string;
      status: number;
      /** What was wrong and what to change. */
      detail: string;
      /** The same as the end of `type`; for programs. */
      code: string;
      /** Also in the header `Request-Id`. */
      request_id: string;
      /** One entry for each mistake in the body. */
      errors?: {
        /** RFC 6901 pointer into the body. */
        pointer: string;
        code: string;
        detail: string;
      }[];
    };
    ConversationStartedEvent: {
      /** evt_…; the key to recognise a repeat by. */
      id: string;
      type: 'conversation.started';
      /** Unix seconds. */
      created: number;
      data: {
        /** Conversation, `conv_…` */
        conversation_id: string;
        /** Agent, `agt_…` */
        agent_id: string;
        /** Number of the agent version */
        agent_version: number;
        channel: ('chat' | 'voice' | 'sms' | 'web_voice');
        /** Who the user is to you. */
        user_id?: string;
        /** That of the conversation; left out when it has none. */
        metadata?: { [name: string]: string };
        /** Of a call: `call_…` */
        call_id?: string;
      };
    };
    ConversationEndedEvent: {
      /** evt_…; the key to recognise a repeat by. */
      id: string;
      type: 'conversation.ended';
      /** Unix seconds. */
      created: number;
      data: {
        /** Conversation, `conv_…` */
        conversation_id: string;
        /** Agent, `agt_…` */
        agent_id: string;
        channel: ('chat' | 'voice' | 'sms' | 'web_voice');
        duration_sec: number;
        outcome: ('resolved' | 'unresolved' | 'escalated' | 'abandoned' | 'voicemail' | 'failed' | 'unknown');
        /** Predicted satisfaction, 1.0–5.0 */
        csat_predicted: number;
        transcript_url: string;
        /** Number of the agent version */
        agent_version: number;
        ended_reason: string;
        /** Who the user is to you. */
        user_id?: string;
        /** That of the conversation; left out when it has none. */
        metadata?: { [name: string]: string };
        /** Of a call: `call_…` */
        call_id?: string;
      };
    };
    ConversationTranscriptReadyEvent: {
      /** evt_…; the key to recognise a repeat by. */
      id: string;
      type: 'conversation.transcript.ready';
      /** Unix seconds. */
      created: number;
      data: {
        /** Conversation, `conv_…` */
        conversation_id: string;
        /** Agent, `agt_…` */
        agent_id: string;
        /** Number of the agent version */
        agent_version: number;
        transcript_url: string;
        summary: string;
        turns: number;
        outcome: ('resolved' | 'unresolved' | 'escalated' | 'abandoned' | 'voicemail' | 'failed' | 'unknown');
        /** Predicted satisfaction, 1.0–5.0 */
        csat_predicted: number;
        /** Of the model whose summary, outcome and satisfaction these are. */
        judgement?: {
          provider: string;
          model: string;
          topics: string[];
          open_questions: string[];
          by_rule: {
            summary: string;
            outcome: ('resolved' | 'unresolved' | 'escalated' | 'abandoned' | 'voicemail' | 'failed' | 'unknown');
            /** Predicted satisfaction, 1.0–5.0 */
            csat_predicted: number;
          };
        };
        /** Who the user is to you. */
        user_id?: string;
        /** That of the conversation; left out when it has none. */
        metadata?: { [name: string]: string };
        /** Of a call: `call_…` */
        call_id?: string;
        channel?: ('chat' | 'voice' | 'sms' | 'web_voice');
      };
    };
    EscalationRequestedEvent: {
      /** evt_…; the key to recognise a repeat by. */
      id: string;
      type: 'escalation.requested';
      /** Unix seconds. */
      created: number;
      data: {
        escalation_id: string;
        /** Conversation, `conv_…` */
        conversation_id: string;
        /** Agent, `agt_…` */
        agent_id: string;
        reason: string;
        summary: string;
        /** The label of the people who are asked. */
        team?: string;
        /** Who had accepted and has gone: somebody else is asked for. */
        released_by?: {
          id: string;
          name: string;
        };
        /** Who the user is to you. */
        user_id?: string;
        /** That of the conversation; left out when it has none. */
        metadata?: { [name: string]: string };
        /** Of a call: `call_…` */
        call_id?: string;
        channel?: ('chat' | 'voice' | 'sms' | 'web_voice');
      };
    };
    EscalationAcceptedEvent: {
      /** evt_…; the key to recognise a repeat by. */
      id: string;
      type: 'escalation.accepted';
      /** Unix seconds. */
      created: number;
      data: {
        escalation_id: string;
        /** Conversation, `conv_…` */
        conversation_id: string;
        /** Agent, `agt_…` */
        agent_id: string;
        accepted_by: {
          id: string;
          name: string;
        };
        wait_sec: number;
        /** Who the user is to you. */
        user_id?: string;
        /** That of the conversation; left out when it has none. */
        metadata?: { [name: string]: string };
        /** Of a call: `call_…` */
        call_id?: string;
        channel?: ('chat' | 'voice' | 'sms' | 'web_voice');
      };
    };
    KnowledgeGapDetectedEvent: {
      /** evt_…; the key to recognise a repeat by. */
      id: string;
      type: 'knowledge.gap.detected';
      /** Unix seconds. */
      created: number;
      data: {
        gap_id: string;
        /** Conversation, `conv_…` */
        conversation_id: string;
        /** Agent, `agt_…` */
        agent_id: string;
        question: string;
        top_score: number;
        /** Who the user is to you. */
        user_id?: string;
        /** That of the conversation; left out when it has none. */
        metadata?: { [name: string]: string };
        /** Of a call: `call_…` */
        call_id?: string;
        channel?: ('chat' | 'voice' | 'sms' | 'web_voice');
      };
    };
    KnowledgeSourceSyncedEvent: {
      /** evt_…; the key to recognise a repeat by. */
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
      /** evt_…; the key to recognise a repeat by. */
      id: string;
      type: 'agent.published';
      /** Unix seconds. */
      created: number;
      data: {
        /** Agent, `agt_…` */
        agent_id: string;
        name: string;
        /** Number of the agent version */
        version: number;
        /** null: the first activation */
        previous_version: (number | null);
        actor: string;
      };
    };
    AgentRolledBackEvent: {
      /** evt_…; the key to recognise a repeat by. */
      id: string;
      type: 'agent.rolled_back';
      /** Unix seconds. */
      created: number;
      data: {
        /** Agent, `agt_…` */
        agent_id: string;
        name: string;
        /** Number of the agent version */
        version: number;
        /** Number of the agent version */
        from_version: number;
        actor: string;
        reason: (string | null);
      };
    };
    /** An agent as declared, and what became of it. */
    Agent: {
      /** agt_… */
      id: string;
      /** When it was made, Unix seconds. */
      created: number;
      /** When it last changed, Unix seconds. */
      updated: number;
      /** DNS label; never changes. */
      name: string;
      /** Name shown to people. */
      display_name: (string | null);
      /** Instructions the agent follows. */
      prompt: (string | null);
      /** How the agent speaks. */
      voice: ({
        /** Who speaks: a ModelProvider with speech in the same namespace, or a provider that the carrier knows. */
        provider?: string;
        /** Model to speak with; absent: the provider's default. */
        model?: string;
        /** The provider's id of the voice. */
        voice_id?: string;
        /** BCP 47 tag of the spoken language, such as en-GB. Must be a language tag, such as en or pt-BR. */
        language?: string;
        /** Speed of speech; 1 is the natural one. */
        speed?: number;
        /** Who speaks, in this order, when the first cannot. */
        fallback?: {
          /** Absent: that of the voice. */
          provider?: string;
          /** Absent: the provider's default. */
          model?: string;
          /** Absent: that of the voice with the same provider, else the provider's default. */
          voice_id?: string;
        }[];
      } | null);
      /** How the agent hears. */
      transcriber: ({
        /** Who writes down what users say: a ModelProvider with transcription in the same namespace, or a provider that the carrier knows. */
        provider?: string;
        /** Model to hear with; absent: the provider's default. */
        model?: string;
        /** BCP 47 tag of what users speak, such as en-GB. Must be a language tag, such as en or pt-BR. */
        language?: string;
        /** Names and words that are likely, and hard to hear. */
        keywords?: string[];
        /** True: after an interruption, the transcriber also transcribes the agent's interrupted sentence, in two requests, to find the last word that was played. False when absent: the position is estimated from the sound. */
        retranscribe_interrupted?: boolean;
        /** Who hears, in this order, when the first cannot. */
        fallback?: {
          /** Absent: that of the transcriber. */
          provider?: string;
          /** Absent: the provider's default. */
          model?: string;
        }[];
      } | null);
      /** What the agent can do besides talking. */
      tools: ({
        /** What happens when the agent uses the tool. */
        type: ('webhook' | 'end_call' | 'transfer_call' | 'knowledge_search' | 'handoff');
        /** Name the model calls the tool by; unique within the agent. Must be letters, digits, underscores and hyphens, and begin with a letter or underscore. */
        name: string;
        /** Tells the model when to use the tool. */
        description?: string;
        /** JSON Schema of the arguments the model fills in; at most 64 KiB, 2000 members and elements, 64 deep. */
        parameters?: { [name: string]: unknown };
        /** Address a webhook tool calls. Must be an http or https URL in ASCII, such as https://example.com/hook, without user and password. */
        url?: string;
        /** HTTP method of a webhook tool; POST when absent. */
        method?: ('GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE');
        /** Extra headers of the request. */
        headers?: { [name: string]: string };
        /** Secret sent as bearer token; it must carry the label parley.dev/allow: "true". */
        secret_ref?: {
          /** Name of the Secret, in the same namespace. Must be a DNS name: lower-case letters, digits, hyphens and dots, a letter or digit at both ends. */
          name: string;
          /** Key inside the Secret. Must be letters, digits, dots, hyphens and underscores. */
          key: string;
        };
        /** Secret that requests are signed with, as events are; it must carry the label parley.dev/allow: "true". */
        signing_secret_ref?: {
          /** Name of the Secret, in the same namespace. Must be a DNS name: lower-case letters, digits, hyphens and dots, a letter or digit at both ends. */
          name: string;
          /** Key inside the Secret. Must be letters, digits, dots, hyphens and underscores. */
          key: string;
        };
        /** Longest wait for the whole answer, in milliseconds; 8000 when absent. */
        timeout_ms?: number;
        /** Agent that a handoff tool hands the conversation to, in the same namespace. Must be a DNS label: lower-case letters, digits and hyphens, at most 63, no hyphen at either end. */
        agent?: string;
        /** Version of that agent; absent: what is live of it when this version goes live. */
        version?: number;
      }[] | null);
      /** What the agent says first. */
      first_message: (string | null);
      /** False: in a call it is said to its end, whatever the user says; true when absent. */
      first_message_interruptible: (boolean | null);
      /** BCP 47 tag of the language, such as en-GB. Must be a language tag, such as en or pt-BR. */
      language: (string | null);
      /** The language model and its settings. */
      model: ({
        /** ModelProvider in the same namespace; absent, or default: the provider of the operator's settings. Must be a DNS label: lower-case letters, digits and hyphens, at most 63, no hyphen at either end. */
        provider?: string;
        /** Model to ask for; absent: the provider's default. */
        name?: string;
        /** Sampling temperature. */
        temperature?: number;
        /** Most tokens of one reply. */
        max_tokens?: number;
        /** Models to ask, in this order, when the first cannot answer. */
        fallback?: {
          /** ModelProvider in the same namespace; absent, or default: the provider of the operator's settings. Must be a DNS label: lower-case letters, digits and hyphens, at most 63, no hyphen at either end. */
          provider?: string;
          /** Model to ask for; absent: the provider's default. */
          name?: string;
        }[];
      } | null);
      /** What the agent answers from. */
      knowledge: ({
        /** Answers from every knowledge source of the namespace, also from those to come. */
        all?: boolean;
        /** Answers from the knowledge sources of the namespace whose metadata matches. */
        selector?: {
          /** Pairs that its metadata must all have, with these values. */
          match_metadata: { [name: string]: string };
        };
        /** Ids of the knowledge sources to answer from. */
        source_ids?: string[];
        /** Names of the knowledge sources to answer from, in the same namespace. */
        source_names?: string[];
        /** Most passages given to a reply. */
        top_k?: number;
        /** Passages scored lower are left out; none left is a knowledge gap. */
        min_score?: number;
      } | null);
      /** When and how a human takes over. */
      escalation: ({
        /** When the agent asks for a human. */
        rules?: {
          /** What calls for a human. */
          when: ('user_request' | 'keyword' | 'tool_failure' | 'low_confidence' | 'mood' | 'turn_limit');
          /** Words of the user that call for a human; for keyword. */
          keywords?: string[];
          /** How many times in a row; for tool_failure, low_confidence and mood. For turn_limit: messages of the user. */
          count?: number;
          /** Reason shown with the escalation. */
          reason?: string;
          /** Who is asked by this rule, instead of the team of all rules. */
          team?: string;
        }[];
        /** How long to wait for a human to accept, in seconds. */
        timeout_sec?: number;
        /** Label of the people who are asked. */
        team?: string;
        /** Who is asked next when nobody accepts in time; absent: the agent goes on. */
        fallback_team?: string;
        /** Who is rung when a human is asked for in a telephone call; absent: people write or speak by the API. */
        telephone?: {
          /** In E.164, as in +442071838750. Must be a phone number as +442071838750: a plus sign and 7 to 15 digits. */
          to: string;
        };
        /** When people are there; absent: always. */
        hours?: {
          /** IANA name of the time zone, such as Europe/Berlin. Must be a name of the IANA time zone database. */
          time_zone: string;
          /** When people are there, on every such day. */
          open: {
            /** Days of the week. */
            days: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[];
            /** First minute, as 09:00. Must be a time from 00:00 to 24:00, such as 09:30. */
            from: string;
            /** Until then, as 17:30; 24:00 is the end of the day. Must be a time from 00:00 to 24:00, such as 09:30. */
            to: string;
          }[];
          /** Dates on which nobody is there. */
          closed_on?: string[];
          /** Said when nobody is there; {{opens}} becomes when somebody is. */
          closed_message?: string;
        };
      } | null);
      /** When a conversation is ended. */
      limits: ({
        /** A conversation is ended after this many seconds. */
        max_duration_sec?: number;
        /** A conversation is ended after this many seconds without a word of the user. */
        silence_timeout_sec?: number;
      } | null);
      /** What is taken out of what users say, before anything is stored or read. */
      redaction: (('card' | 'email' | 'phone' | 'iban')[] | null);
      /** Who judges a conversation when it has ended. */
      judgement: ({
        /** rule, as when absent: by what was counted. model: by a language model as well. */
        by: ('rule' | 'model');
        /** The model that judges; absent: the agent's own. */
        model?: {
          /** ModelProvider in the same namespace; absent, or default: the default one. Must be a DNS label: lower-case letters, digits and hyphens, at most 63, no hyphen at either end. */
          provider?: string;
          /** Model to ask for; absent: the provider's default. */
          name?: string;
        };
        /** What conversations can be about; absent: the model finds the words. */
        topics?: string[];
      } | null);
      metadata: { [name: string]: string };
      /** Who may talk with it from their pages; absent: nobody. */
      widget: ({
        /** Origins whose pages may talk with it, such as https://shop.example.com, capacitor://localhost or https://*.preview.example.com. */
        allowed_origins: string[];
        /** Most visitors who speak at once, and who come in a minute; 100 when absent. */
        max_concurrent?: number;
      } | null);
      publish_policy: ('automatic' | 'manual');
      /** Live; null: never published. */
      active_version: (number | null);
      latest_version: (number | null);
      pinned_version: (number | null);
      /** What made the active version live: who, when and why. */
      activation: ({
        /** rolled_back: it went down. */
        action: ('published' | 'rolled_back');
        from_version: (number | null);
        actor: string;
        reason: (string | null);
        /** Unix seconds. */
        at: number;
      } | null);
      managed_by: ('api' | 'kubernetes' | 'file');
      /** Whether it is in force as declared. */
      ready: boolean;
      status_message: (string | null);
      status: {
        ready: boolean;
        reason: string;
        message: string;
      };
    };
    /** Immutable content with a number that never moves. */
    AgentVersion: {
      version: number;
      /** Lower-case hex SHA-256 of the content. */
      content_hash: string;
      content: {
        /** Instructions the agent follows. */
        prompt?: string;
        /** How the agent speaks. */
        voice?: {
          /** Who speaks: a ModelProvider with speech in the same namespace, or a provider that the carrier knows. */
          provider?: string;
          /** Model to speak with; absent: the provider's default. */
          model?: string;
          /** The provider's id of the voice. */
          voice_id?: string;
          /** BCP 47 tag of the spoken language, such as en-GB. Must be a language tag, such as en or pt-BR. */
          language?: string;
          /** Speed of speech; 1 is the natural one. */
          speed?: number;
          /** Who speaks, in this order, when the first cannot. */
          fallback?: {
            /** Absent: that of the voice. */
            provider?: string;
            /** Absent: the provider's default. */
            model?: string;
            /** Absent: that of the voice with the same provider, else the provider's default. */
            voice_id?: string;
          }[];
        };
        /** How the agent hears. */
        transcriber?: {
          /** Who writes down what users say: a ModelProvider with transcription in the same namespace, or a provider that the carrier knows. */
          provider?: string;
          /** Model to hear with; absent: the provider's default. */
          model?: string;
          /** BCP 47 tag of what users speak, such as en-GB. Must be a language tag, such as en or pt-BR. */
          language?: string;
          /** Names and words that are likely, and hard to hear. */
          keywords?: string[];
          /** True: after an interruption, the transcriber also transcribes the agent's interrupted sentence, in two requests, to find the last word that was played. False when absent: the position is estimated from the sound. */
          retranscribe_interrupted?: boolean;
          /** Who hears, in this order, when the first cannot. */
          fallback?: {
            /** Absent: that of the transcriber. */
            provider?: string;
            /** Absent: the provider's default. */
            model?: string;
          }[];
        };
        /** What the agent can do besides talking. */
        tools?: {
          /** What happens when the agent uses the tool. */
          type: ('webhook' | 'end_call' | 'transfer_call' | 'knowledge_search' | 'handoff');
          /** Name the model calls the tool by; unique within the agent. Must be letters, digits, underscores and hyphens, and begin with a letter or underscore. */
          name: string;
          /** Tells the model when to use the tool. */
          description?: string;
          /** JSON Schema of the arguments the model fills in; at most 64 KiB, 2000 members and elements, 64 deep. */
          parameters?: { [name: string]: unknown };
          /** Address a webhook tool calls. Must be an http or https URL in ASCII, such as https://example.com/hook, without user and password. */
          url?: string;
          /** HTTP method of a webhook tool; POST when absent. */
          method?: ('GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE');
          /** Extra headers of the request. */
          headers?: { [name: string]: string };
          /** Secret sent as bearer token; it must carry the label parley.dev/allow: "true". */
          secret_ref?: {
            /** Name of the Secret, in the same namespace. Must be a DNS name: lower-case letters, digits, hyphens and dots, a letter or digit at both ends. */
            name: string;
            /** Key inside the Secret. Must be letters, digits, dots, hyphens and underscores. */
            key: string;
          };
          /** Secret that requests are signed with, as events are; it must carry the label parley.dev/allow: "true". */
          signing_secret_ref?: {
            /** Name of the Secret, in the same namespace. Must be a DNS name: lower-case letters, digits, hyphens and dots, a letter or digit at both ends. */
            name: string;
            /** Key inside the Secret. Must be letters, digits, dots, hyphens and underscores. */
            key: string;
          };
          /** Longest wait for the whole answer, in milliseconds; 8000 when absent. */
          timeout_ms?: number;
          /** Agent that a handoff tool hands the conversation to, in the same namespace. Must be a DNS label: lower-case letters, digits and hyphens, at most 63, no hyphen at either end. */
          agent?: string;
          /** Version of that agent; absent: what is live of it when this version goes live. */
          version?: number;
        }[];
        /** What the agent says first. */
        first_message?: string;
        /** False: in a call it is said to its end, whatever the user says; true when absent. */
        first_message_interruptible?: boolean;
        /** BCP 47 tag of the language, such as en-GB. Must be a language tag, such as en or pt-BR. */
        language?: string;
        /** The language model and its settings. */
        model?: {
          /** ModelProvider in the same namespace; absent, or default: the provider of the operator's settings. Must be a DNS label: lower-case letters, digits and hyphens, at most 63, no hyphen at either end. */
          provider?: string;
          /** Model to ask for; absent: the provider's default. */
          name?: string;
          /** Sampling temperature. */
          temperature?: number;
          /** Most tokens of one reply. */
          max_tokens?: number;
          /** Models to ask, in this order, when the first cannot answer. */
          fallback?: {
            /** ModelProvider in the same namespace; absent, or default: the provider of the operator's settings. Must be a DNS label: lower-case letters, digits and hyphens, at most 63, no hyphen at either end. */
            provider?: string;
            /** Model to ask for; absent: the provider's default. */
            name?: string;
          }[];
        };
        /** What the agent answers from. */
        knowledge?: {
          /** Answers from every knowledge source of the namespace, also from those to come. */
          all?: boolean;
          /** Answers from the knowledge sources of the namespace whose metadata matches. */
          selector?: {
            /** Pairs that its metadata must all have, with these values. */
            match_metadata: { [name: string]: string };
          };
          /** Ids of the knowledge sources to answer from. */
          source_ids?: string[];
          /** Names of the knowledge sources to answer from, in the same namespace. */
          source_names?: string[];
          /** Most passages given to a reply. */
          top_k?: number;
          /** Passages scored lower are left out; none left is a knowledge gap. */
          min_score?: number;
        };
        /** When and how a human takes over. */
        escalation?: {
          /** When the agent asks for a human. */
          rules?: {
            /** What calls for a human. */
            when: ('user_request' | 'keyword' | 'tool_failure' | 'low_confidence' | 'mood' | 'turn_limit');
            /** Words of the user that call for a human; for keyword. */
            keywords?: string[];
            /** How many times in a row; for tool_failure, low_confidence and mood. For turn_limit: messages of the user. */
            count?: number;
            /** Reason shown with the escalation. */
            reason?: string;
            /** Who is asked by this rule, instead of the team of all rules. */
            team?: string;
          }[];
          /** How long to wait for a human to accept, in seconds. */
          timeout_sec?: number;
          /** Label of the people who are asked. */
          team?: string;
          /** Who is asked next when nobody accepts in time; absent: the agent goes on. */
          fallback_team?: string;
          /** Who is rung when a human is asked for in a telephone call; absent: people write or speak by the API. */
          telephone?: {
            /** In E.164, as in +442071838750. Must be a phone number as +442071838750: a plus sign and 7 to 15 digits. */
            to: string;
          };
          /** When people are there; absent: always. */
          hours?: {
            /** IANA name of the time zone, such as Europe/Berlin. Must be a name of the IANA time zone database. */
            time_zone: string;
            /** When people are there, on every such day. */
            open: {
              /** Days of the week. */
              days: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[];
              /** First minute, as 09:00. Must be a time from 00:00 to 24:00, such as 09:30. */
              from: string;
              /** Until then, as 17:30; 24:00 is the end of the day. Must be a time from 00:00 to 24:00, such as 09:30. */
              to: string;
            }[];
            /** Dates on which nobody is there. */
            closed_on?: string[];
            /** Said when nobody is there; {{opens}} becomes when somebody is. */
            closed_message?: string;
          };
        };
        /** When a conversation is ended. */
        limits?: {
          /** A conversation is ended after this many seconds. */
          max_duration_sec?: number;
          /** A conversation is ended after this many seconds without a word of the user. */
          silence_timeout_sec?: number;
        };
        /** What is taken out of what users say, before anything is stored or read. */
        redaction?: ('card' | 'email' | 'phone' | 'iban')[];
        /** Who judges a conversation when it has ended. */
        judgement?: {
          /** rule, as when absent: by what was counted. model: by a language model as well. */
          by: ('rule' | 'model');
          /** The model that judges; absent: the agent's own. */
          model?: {
            /** ModelProvider in the same namespace; absent, or default: the default one. Must be a DNS label: lower-case letters, digits and hyphens, at most 63, no hyphen at either end. */
            provider?: string;
            /** Model to ask for; absent: the provider's default. */
            name?: string;
          };
          /** What conversations can be about; absent: the model finds the words. */
          topics?: string[];
        };
      };
      /** When it was made, Unix seconds. */
      created: number;
      /** api:key_…, kubernetes:<manager> or file. */
      created_by: string;
    };
    /** What changed; a side that lacks a value has null. */
    VersionDiff: {
      from: number;
      to: number;
      changes: {
        /** RFC 6901 pointer into the content; tools by name. */
        path: string;
        before?: unknown;
        after?: unknown;
      }[];
    };
    /** One line of the append-only log of what went live. */
    Activation: {
      /** rolled_back: it went down. */
      action: ('published' | 'rolled_back');
      from_version: (number | null);
      to_version: number;
      actor: string;
      reason: (string | null);
      /** Whom it hands conversations to. `version` null: nothing of that agent was live; its first one counts. */
      handoffs: {
        tool: string;
        agent: string;
        agent_id: (string | null);
        version: (number | null);
      }[];
      /** Unix seconds. */
      at: number;
    };
    /** What became of an agent's conversations, as numbers. */
    AgentStats: {
      agent_id: string;
      version: (number | null);
      /** Unix seconds. */
      from: number;
      /** Unix seconds. */
      to: number;
      /** Started from `from` on and before `to`; erased ones too. */
      conversations: number;
      /** Not ended yet. */
      active: number;
      /** Ended: the sum of the seven outcomes. */
      ended: number;
      /** By outcome. */
      resolved: number;
      /** By outcome. */
      unresolved: number;
      /** By outcome. */
      escalated: number;
      /** By outcome. */
      abandoned: number;
      /** By outcome. */
      voicemail: number;
      /** By outcome. */
      failed: number;
      /** By outcome. */
      unknown: number;
      /** `resolved` of `ended`. */
      resolution_rate: (number | null);
      /** Of what users said, 1 to 5. */
      csat_average: (number | null);
      /** How many said it. */
      csat_count: number;
      /** Of the ended ones, 1 to 5. */
      csat_predicted_average: (number | null);
      /** How far the prediction is from what users said, on average, of those who said it. */
      csat_predicted_error: (number | null);
      /** Of what users said and what was predicted, Pearson’s; null: fewer than two, or no two that differ. */
      csat_correlation: (number | null);
      /** Requested in these conversations. */
      escalations: number;
      /** With at least one escalation. */
      escalated_conversations: number;
      /** `escalated_conversations` of `conversations`. */
      escalation_rate: (number | null);
      /** Answered or not. */
      questions: number;
      /** Questions without an answer. */
      gaps: number;
      /** `gaps` of `questions`. */
      gap_rate: (number | null);
      /** Of whoever spoke. */
      turns: number;
      /** Turns of the agent that were measured, of the 1,000 newest. */
      turn_latency_count: number;
      /** Of these. */
      turn_latency_p50_ms: (number | null);
      /** Of these. */
      turn_latency_p95_ms: (number | null);
    };
    /** What became of conversations, as numbers. */
    Stats: {
      /** Unix seconds. */
      from: number;
      /** Unix seconds. */
      to: number;
      /** Of all conversations of the span. */
      total: {
        /** Started from `from` on and before `to`; erased ones too. */
        conversations: number;
        /** Not ended yet. */
        active: number;
        /** Ended: the sum of the seven outcomes. */
        ended: number;
        /** By outcome. */
        resolved: number;
        /** By outcome. */
        unresolved: number;
        /** By outcome. */
        escalated: number;
        /** By outcome. */
        abandoned: number;
        /** By outcome. */
        voicemail: number;
        /** By outcome. */
        failed: number;
        /** By outcome. */
        unknown: number;
        /** `resolved` of `ended`. */
        resolution_rate: (number | null);
        /** Of what users said, 1 to 5. */
        csat_average: (number | null);
        /** How many said it. */
        csat_count: number;
        /** Of the ended ones, 1 to 5. */
        csat_predicted_average: (number | null);
        /** How far the prediction is from what users said, on average, of those who said it. */
        csat_predicted_error: (number | null);
        /** Of what users said and what was predicted, Pearson’s; null: fewer than two, or no two that differ. */
        csat_correlation: (number | null);
        /** Requested in these conversations. */
        escalations: number;
        /** With at least one escalation. */
        escalated_conversations: number;
        /** `escalated_conversations` of `conversations`. */
        escalation_rate: (number | null);
        /** Answered or not. */
        questions: number;
        /** Questions without an answer. */
        gaps: number;
        /** `gaps` of `questions`. */
        gap_rate: (number | null);
        /** Of whoever spoke. */
        turns: number;
      };
      /** One for each version that had conversations, most of them first. */
      agents: components['schemas']['VersionStats'][];
      /** There are more than 1000 of them. */
      has_more: boolean;
    };
    /** Of conversations that began with this version. */
    VersionStats: {
      agent_id: string;
      version: number;
      /** Started from `from` on and before `to`; erased ones too. */
      conversations: number;
      /** Not ended yet. */
      active: number;
      /** Ended: the sum of the seven outcomes. */
      ended: number;
      /** By outcome. */
      resolved: number;
      /** By outcome. */
      unresolved: number;
      /** By outcome. */
      escalated: number;
      /** By outcome. */
      abandoned: number;
      /** By outcome. */
      voicemail: number;
      /** By outcome. */
      failed: number;
      /** By outcome. */
      unknown: number;
      /** `resolved` of `ended`. */
      resolution_rate: (number | null);
      /** Of what users said, 1 to 5. */
      csat_average: (number | null);
      /** How many said it. */
      csat_count: number;
      /** Of the ended ones, 1 to 5. */
      csat_predicted_average: (number | null);
      /** How far the prediction is from what users said, on average, of those who said it. */
      csat_predicted_error: (number | null);
      /** Of what users said and what was predicted, Pearson’s; null: fewer than two, or no two that differ. */
      csat_correlation: (number | null);
      /** Requested in these conversations. */
      escalations: number;
      /** With at least one escalation. */
      escalated_conversations: number;
      /** `escalated_conversations` of `conversations`. */
      escalation_rate: (number | null);
      /** Answered or not. */
      questions: number;
      /** Questions without an answer. */
      gaps: number;
      /** `gaps` of `questions`. */
      gap_rate: (number | null);
      /** Of whoever spoke. */
      turns: number;
    };
    /** Where events are sent. */
    WebhookEndpoint: {
      /** we_… */
      id: string;
      /** When it was made, Unix seconds. */
      created: number;
      /** When it last changed, Unix seconds. */
      updated: number;
      name: string;
      url: string;
      /** As declared; null: every type. */
      event_types: (string[] | null);
      description: (string | null);
      enabled: boolean;
      /** Of the extra headers; their values are never shown. */
      header_names: string[];
      metadata: { [name: string]: string };
      managed_by: ('api' | 'kubernetes' | 'file');
      /** Whether it is in force as declared. */
      ready: boolean;
      status_message: (string | null);
      /** The latest deliveries; not_ready: it is not in force as declared. */
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
      /** Start of the failures since the last success, in Unix seconds; null: none. */
      failing_since: (number | null);
      /** Failed since the last success. */
      failed_attempts: number;
      /** Still on their way; 10000: as many or more. Null but where one endpoint is read. */
      unfinished_deliveries: (number | null);
      /** Who switched it off, and how; null: it is on. */
      disabled_reason: (string | null);
      /** While two secrets are live; see rotate_secret. */
      secret_rotation: ({
        /** From when on the new secret signs. */
        activates_at: number;
        /** Until when the old one is live too. */
        ends_at: number;
      } | null);
    };
    /** A new endpoint with its signing secret. */
    CreatedWebhookEndpoint: {
      /** we_… */
      id: string;
      /** When it was made, Unix seconds. */
      created: number;
      /** When it last changed, Unix seconds. */
      updated: number;
      name: string;
      url: string;
      /** As declared; null: every type. */
      event_types: (string[] | null);
      description: (string | null);
      enabled: boolean;
      /** Of the extra headers; their values are never shown. */
      header_names: string[];
      metadata: { [name: string]: string };
      managed_by: ('api' | 'kubernetes' | 'file');
      /** Whether it is in force as declared. */
      ready: boolean;
      status_message: (string | null);
      /** The latest deliveries; not_ready: it is not in force as declared. */
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
      /** Start of the failures since the last success, in Unix seconds; null: none. */
      failing_since: (number | null);
      /** Failed since the last success. */
      failed_attempts: number;
      /** Still on their way; 10000: as many or more. Null but where one endpoint is read. */
      unfinished_deliveries: (number | null);
      /** Who switched it off, and how; null: it is on. */
      disabled_reason: (string | null);
      /** While two secrets are live; see rotate_secret. */
      secret_rotation: ({
        /** From when on the new secret signs. */
        activates_at: number;
        /** Until when the old one is live too. */
        ends_at: number;
      } | null);
      /** Signing secret. Shown now and never again. */
      secret: string;
    };
    /** What a receiver would get. */
    TestRequest: {
      url: string;
      method: 'POST';
      /** All of them; those given for the endpoint with the value `[hidden]`. */
      headers: { [name: string]: string };
      /** The exact bytes, as text. */
      body: string;
    };
    /** An endpoint whose secret is rotated. */
    RotatedWebhookEndpoint: {
      /** we_… */
      id: string;
      /** When it was made, Unix seconds. */
      created: number;
      /** When it last changed, Unix seconds. */
      updated: number;
      name: string;
      url: string;
      /** As declared; null: every type. */
      event_types: (string[] | null);
      description: (string | null);
      enabled: boolean;
      /** Of the extra headers; their values are never shown. */
      header_names: string[];
      metadata: { [name: string]: string };
      managed_by: ('api' | 'kubernetes' | 'file');
      /** Whether it is in force as declared. */
      ready: boolean;
      status_message: (string | null);
      /** The latest deliveries; not_ready: it is not in force as declared. */
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
      /** Start of the failures since the last success, in Unix seconds; null: none. */
      failing_since: (number | null);
      /** Failed since the last success. */
      failed_attempts: number;
      /** Still on their way; 10000: as many or more. Null but where one endpoint is read. */
      unfinished_deliveries: (number | null);
      /** Who switched it off, and how; null: it is on. */
      disabled_reason: (string | null);
      /** While two secrets are live; see rotate_secret. */
      secret_rotation: ({
        /** From when on the new secret signs. */
        activates_at: number;
        /** Until when the old one is live too. */
        ends_at: number;
      } | null);
      /** The new signing secret, when this call made it. Shown now only. */
      secret?: string;
    };
    /** A fact that happened, as it is sent, and where it got to. */
    Event: {
      /** evt_… */
      id: string;
      type: ('conversation.started' | 'conversation.ended' | 'conversation.transcript.ready' | 'escalation.requested' | 'escalation.accepted' | 'knowledge.gap.detected' | 'knowledge.source.synced' | 'agent.published' | 'agent.rolled_back');
      /** When it was made, Unix seconds. */
      created: number;
      /** Sent by POST /v1/webhooks/{id}/test. */
      test: boolean;
      /** By `type`; see webhooks. */
      data: { [name: string]: unknown };
      /** How many deliveries are where; retrying counts as pending. */
      deliveries: {
        pending: number;
        delivered: number;
        failed: number;
        canceled: number;
      };
    };
    /** Why an event did not arrive, or that it did. */
    Explanation: {
      event_id: string;
      endpoint_id: string;
      reason: ('delivered' | 'pending' | 'waiting_for_retry' | 'waiting_in_order' | 'in_flight' | 'endpoint_disabled' | 'endpoint_not_ready' | 'failed' | 'canceled' | 'erased' | 'test_event_of_another_endpoint' | 'not_subscribed' | 'created_before_endpoint' | 'made_while_disabled');
      /** What happened and what to do, for people. */
      detail: string;
      /** The delivery it is about. */
      delivery_id: (string | null);
      /** Unix seconds. */
      next_attempt_at: (number | null);
    };
    /** One event on its way to one endpoint. */
    Delivery: {
      /** dlv_… */
      id: string;
      /** When it was made, Unix seconds. */
      created: number;
      event_id: string;
      event_type: ('conversation.started' | 'conversation.ended' | 'conversation.transcript.ready' | 'escalation.requested' | 'escalation.accepted' | 'knowledge.gap.detected' | 'knowledge.source.synced' | 'agent.published' | 'agent.rolled_back');
      endpoint_id: string;
      trigger: ('schedule' | 'manual' | 'replay' | 'test');
      /** Of a test event. */
      test: boolean;
      status: ('pending' | 'retrying' | 'delivered' | 'failed' | 'canceled');
      /** As many as `attempts` shows. */
      attempt_count: number;
      /** An attempt is under way, which `attempts` does not show yet. */
      in_flight_since: (number | null);
      /** Unix seconds. */
      next_attempt_at: (number | null);
      /** Unix seconds. */
      delivered_at: (number | null);
      /** dlv_…: the replay that was acknowledged while this one waited. */
      delivered_by: (string | null);
      attempts: {
        number: number;
        trigger: ('schedule' | 'manual' | 'replay' | 'test');
        /** Unix seconds. */
        started_at: number;
        /** null: not known, or under way. */
        duration_ms: (number | null);
        status_code: (number | null);
        error_class: ('http_status' | 'redirect' | 'timeout' | 'dns' | 'connect' | 'tls' | 'blocked' | 'lost_lease' | null);
        error_message: (string | null);
        /** Its first 4 KiB. */
        response_body: (string | null);
      }[];
    };
    /** What became of deliveries, as numbers. */
    DeliveryStats: {
      /** Unix seconds. */
      from: number;
      /** Unix seconds. */
      to: number;
      endpoint_id: (string | null);
      /** Everything below is of events from here on: `from`, or later where the window has more than 100,000 deliveries. */
      counted_from: number;
      acknowledged: number;
      /** Given up. */
      failed: number;
      canceled: number;
      /** Still tried; counted to 10,000. */
      unfinished: number;
      attempts: number;
      /** Acknowledged at the first attempt: what the latency is of. */
      latency_count: number;
      /** From the event to its acknowledgement. */
      latency_p50_ms: (number | null);
      latency_p95_ms: (number | null);
      within_500_ms_rate: (number | null);
      bucket_sec: number;
      buckets: {
        /** Its beginning. */
        at: number;
        acknowledged: number;
        failed: number;
        latency_p50_ms: (number | null);
        latency_p95_ms: (number | null);
      }[];
    };
    /** What a replay would send. */
    ReplayCount: {
      /** Deliveries that would be made, or attempted (retrying). */
      count: number;
      endpoint_id: string;
      /** failed: events whose deliveries to it all failed or were canceled; missing: events of types it is subscribed to now that were never on their way to it; all: every event of those types; retrying: deliveries to it that failed and wait for their next attempt, which are themselves attempted now, without a second one beside them. */
      mode: ('failed' | 'missing' | 'all' | 'retrying');
      types: ('conversation.started' | 'conversation.ended' | 'conversation.transcript.ready' | 'escalation.requested' | 'escalation.accepted' | 'knowledge.gap.detected' | 'knowledge.source.synced' | 'agent.published' | 'agent.rolled_back')[];
      /** Unix seconds. */
      since: number;
      /** Unix seconds. */
      until: number;
    };
    /** Work that goes on after the answer. */
    Job: {
      /** job_… */
      id: string;
      type: 'replay';
      status: ('running' | 'done' | 'stopped' | 'failed');
      /** Deliveries: to be made (retrying: to be attempted), counted at the start, and so far. */
      progress: {
        total: number;
        done: number;
      };
      /** When it was made, Unix seconds. */
      created: number;
      /** Unix seconds. */
      finished_at: (number | null);
      /** Why it failed. */
      error: (string | null);
      endpoint_id: string;
      /** failed: events whose deliveries to it all failed or were canceled; missing: events of types it is subscribed to now that were never on their way to it; all: every event of those types; retrying: deliveries to it that failed and wait for their next attempt, which are themselves attempted now, without a second one beside them. */
      mode: ('failed' | 'missing' | 'all' | 'retrying');
      /** Empty: every type. */
      types: ('conversation.started' | 'conversation.ended' | 'conversation.transcript.ready' | 'escalation.requested' | 'escalation.accepted' | 'knowledge.gap.detected' | 'knowledge.source.synced' | 'agent.published' | 'agent.rolled_back')[];
      /** Unix seconds. */
      since: number;
      /** Unix seconds. */
      until: number;
    };
    /** What an endpoint was sent in an hour. */
    DeliveryDigest: {
      /** Unix seconds. */
      hour: number;
      /** Events that were sent, or are on their way. */
      count: number;
      /** Lower-case hex, over their ids in ascending order, joined by LF, without one at the end. */
      sha256: string;
      /** Of these: not acknowledged, and tried again. */
      unfinished: number;
      /** Of these: given up. A replay sends them again. */
      failed: number;
    };
    /** What a receiver lacks, and what it has too much. */
    Reconciliation: {
      /** Unix seconds. */
      since: number;
      /** Unix seconds. */
      until: number;
      /** Sent to the endpoint and not held, ascending; a page of them. */
      missing: string[];
      /** Of `missing`: still on their way. */
      unfinished: string[];
      /** Of `missing`: their words were erased; they cannot be sent again. */
      erased: string[];
      /** Held, and never sent to this endpoint. On the first page only, as the next two. */
      unknown: string[];
      /** Held and sent, but of no digest: test events, and those whose deliveries were all canceled. */
      uncounted: string[];
      /** Held, but of another time than this window; not looked at. */
      outside: string[];
      /** With `replay`: the new deliveries. */
      delivery_ids: string[];
      has_more: boolean;
      /** For `cursor`; null: the last page. */
      next_cursor: (string | null);
    };
    /** A conversation with a version of an agent. */
    Conversation: {
      /** conv_… */
      id: string;
      /** When it was made, Unix seconds. */
      created: number;
      agent_id: string;
      /** The same from its start to its end. */
      agent_version: number;
      /** To try the agent out: it makes no events and is in no figure. */
      test: boolean;
      channel: ('chat' | 'voice' | 'sms' | 'web_voice');
      user_id: (string | null);
      variables: { [name: string]: unknown };
      metadata: { [name: string]: string };
      /** Of a call: call_… */
      call_id: (string | null);
      status: ('active' | 'escalated' | 'ended' | 'failed');
      /** Turns of the transcript so far. */
      turn_count: number;
      /** Unix seconds. */
      started_at: number;
      /** Unix seconds. */
      ended_at: (number | null);
      /** null: it goes on. */
      duration_sec: (number | null);
      ended_reason: (string | null);
      /** Settled when it ends. */
      outcome: ('resolved' | 'unresolved' | 'escalated' | 'abandoned' | 'voicemail' | 'failed' | 'unknown' | null);
      csat_predicted: (number | null);
      /** What the user said, by feedback. */
      csat: (number | null);
      /** Written right after the end. */
      summary: (string | null);
      /** What a model made of it, where its agent asks for that; null: not asked, or not yet. */
      judgement: ({
        /** Of the model; null: none answered. */
        provider: (string | null);
        model: (string | null);
        /** What it was about, most important first. */
        topics: string[];
        /** Of the user, without an answer. */
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
        /** Why there is none: the rule alone has judged. */
        error: ({
          code: string;
          detail: string;
        } | null);
      } | null);
    };
    /** A conversation, and how its version went live. */
    ConversationRead: {
      /** conv_… */
      id: string;
      /** When it was made, Unix seconds. */
      created: number;
      agent_id: string;
      /** The same from its start to its end. */
      agent_version: number;
      /** To try the agent out: it makes no events and is in no figure. */
      test: boolean;
      channel: ('chat' | 'voice' | 'sms' | 'web_voice');
      user_id: (string | null);
      variables: { [name: string]: unknown };
      metadata: { [name: string]: string };
      /** Of a call: call_… */
      call_id: (string | null);
      status: ('active' | 'escalated' | 'ended' | 'failed');
      /** Turns of the transcript so far. */
      turn_count: number;
      /** Unix seconds. */
      started_at: number;
      /** Unix seconds. */
      ended_at: (number | null);
      /** null: it goes on. */
      duration_sec: (number | null);
      ended_reason: (string | null);
      /** Settled when it ends. */
      outcome: ('resolved' | 'unresolved' | 'escalated' | 'abandoned' | 'voicemail' | 'failed' | 'unknown' | null);
      csat_predicted: (number | null);
      /** What the user said, by feedback. */
      csat: (number | null);
      /** Written right after the end. */
      summary: (string | null);
      /** What a model made of it, where its agent asks for that; null: not asked, or not yet. */
      judgement: ({
        /** Of the model; null: none answered. */
        provider: (string | null);
        model: (string | null);
        /** What it was about, most important first. */
        topics: string[];
        /** Of the user, without an answer. */
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
        /** Why there is none: the rule alone has judged. */
        error: ({
          code: string;
          detail: string;
        } | null);
      } | null);
      /** Of its version, the one under which it began: the last until then. null: it was never live (a test). */
      activation: ({
        /** rolled_back: it went down. */
        action: ('published' | 'rolled_back');
        from_version: (number | null);
        to_version: number;
        actor: string;
        reason: (string | null);
        /** Whom it hands conversations to. `version` null: nothing of that agent was live; its first one counts. */
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
    /** The turns the message added. */
    MessageAnswer: {
      turns: components['schemas']['Turn'][];
      conversation: components['schemas']['Conversation'];
    };
    /** One turn of a transcript. */
    Turn: {
      index: number;
      role: ('user' | 'agent' | 'tool' | 'human' | 'system');
      text: string;
      /** ms since the conversation started. */
      started_at_ms: number;
      /** ms since the conversation started. */
      ended_at_ms: number;
      interrupted: boolean;
      tool_call?: { [name: string]: unknown };
      tool_result?: { [name: string]: unknown };
      /** The passages the answer is made from, best first. */
      retrieval?: {
        query: string;
        top_score: number;
        chunks: {
          source_id: string;
          document_id: string;
          chunk_id: string;
          score: number;
          /** How alike it was by its meaning, up to 1; absent: it was not compared. */
          similarity?: number;
        }[];
        /** Found, and not what the answer was drawn from. */
        considered?: {
          source_id: string;
          document_id: string;
          chunk_id: string;
          score: number;
          /** How alike it was by its meaning, up to 1; absent: it was not compared. */
          similarity?: number;
        }[];
      };
      /** ms of the parts of the turn; `turn_ms` is the whole. */
      latency?: { [name: string]: number };
      /** Who spoke; another after a handoff. */
      agent_id?: string;
      agent_version?: number;
      /** What a language model did for it. */
      model?: {
        /** Name of the model provider, or `default`. */
        provider: string;
        /** The model that answered. */
        name: string;
        finish_reason: string;
        /** Requests; each round of tools is one more. */
        steps: number;
        usage: {
          input_tokens: number;
          output_tokens: number;
          cached_input_tokens: number;
          /** Counted here: the answer broke off. */
          estimated: boolean;
        };
        cost: ({
          amount: number;
          currency: string;
        } | null);
        time_to_first_token_ms: (number | null);
      };
      /** Why the reply is missing or broke off. */
      error?: {
        code: string;
        detail: string;
      };
      /** How many of each were taken out of what the user said. */
      redacted?: {
        card?: number;
        email?: number;
        phone?: number;
        iban?: number;
      };
    };
    /** A conversation that asks for a human. */
    Escalation: {
      /** esc_… */
      id: string;
      /** When it was made, Unix seconds. */
      created: number;
      conversation_id: string;
      agent_id: string;
      /** Of a test conversation. */
      test: boolean;
      status: ('requested' | 'accepted' | 'declined' | 'timed_out' | 'completed' | 'canceled');
      reason: string;
      /** Of the conversation: up to the request, renewed when it is accepted and completed. */
      summary: string;
      /** Unix seconds. */
      requested_at: number;
      /** When the agent goes on if nobody accepts. */
      times_out_at: number;
      /** Unix seconds. */
      accepted_at: (number | null);
      accepted_by: ({
        /** Who it is to you. */
        id: string;
        /** Shown in the transcript. */
        name: string;
      } | null);
      /** The label of the people who are asked. */
      team: (string | null);
      /** So often whoever accepted is to be heard of; null: no need to. */
      heartbeat_sec: (number | null);
      /** Then they are taken to be gone, and somebody else is asked for. */
      heartbeat_due_at: (number | null);
      /** null: nobody has accepted. */
      wait_sec: (number | null);
      /** Unix seconds. */
      finished_at: (number | null);
    };
    /** A link by which a user rates one conversation. */
    FeedbackLink: {
      /** For the user: a page that asks for 1 to 5. */
      url: string;
      /** Unix seconds. */
      expires_at: number;
    };
    /** A conversation, turn by turn. */
    Transcript: {
      conversation_id: string;
      agent_id: string;
      agent_version: number;
      status: ('active' | 'escalated' | 'ended' | 'failed');
      summary: (string | null);
      turns: components['schemas']['Turn'][];
    };
    /** What the agent said. */
    ChatCompletion: {
      /** chatcmpl-… */
      id: string;
      object: 'chat.completion';
      /** Unix seconds. */
      created: number;
      /** As it was asked for. */
      model: string;
      /** The version that answered: agt_…@3 */
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
    /** What was wrong, as OpenAI says it. */
    OpenAiError: {
      error: {
        /** What was wrong and what to change. */
        message: string;
        type: string;
        /** The field, as `messages[0].content`. */
        param: (string | null);
        /** For programs. */
        code: (string | null);
      };
    };
    /** The agents something of which is live. */
    OpenAiModels: {
      object: 'list';
      data: components['schemas']['OpenAiModel'][];
    };
    /** An agent that can be talked with. */
    OpenAiModel: {
      /** agt_…, or agt_…@3 */
      id: string;
      object: 'model';
      /** When the agent was made, Unix seconds. */
      created: number;
      /** The namespace. */
      owned_by: string;
      /** What people call the agent. */
      name: string;
    };
    /** What its receivers will not be sent. */
    ErasedConversation: {
      /** conv_… */
      id: string;
      /** How many deliveries were canceled. */
      canceled_count: number;
      /** The first 1,000 of them, by event. */
      canceled: {
        event_id: string;
        event_type: ('conversation.started' | 'conversation.ended' | 'conversation.transcript.ready' | 'escalation.requested' | 'escalation.accepted' | 'knowledge.gap.detected' | 'knowledge.source.synced' | 'agent.published' | 'agent.rolled_back');
        delivery_id: string;
        endpoint_id: string;
      }[];
    };
    /** A telephone call with an agent. */
    Call: {
      /** call_… */
      id: string;
      /** When it was made, Unix seconds. */
      created: number;
      agent_id: string;
      /** Set once the call is answered. */
      conversation_id: (string | null);
      direction: ('inbound' | 'outbound');
      from: (string | null);
      to: (string | null);
      status: ('queued' | 'ringing' | 'in_progress' | 'transferring' | 'completed' | 'busy' | 'no_answer' | 'failed' | 'canceled');
      /** The reason of its conversation (`api`: by request, `user_hangup`, `voicemail`, `transferred` …), or busy, no_answer, dial_failed, canceled, platform_error. */
      ended_reason: (string | null);
      /** The latest transfer to another number; null if there was none. */
      transfer: ({
        /** E.164; null if it was erased. */
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
      /** From the answer to the end; null: not answered, or not ended. */
      duration_sec: (number | null);
    };
    /** What agents answer from. */
    KnowledgeSource: {
      /** ks_… */
      id: string;
      /** When it was made, Unix seconds. */
      created: number;
      /** When it last changed, Unix seconds. */
      updated: number;
      /** DNS label; never changes. */
      name: string;
      type: ('website' | 'file' | 'text' | 'integration');
      /** The knowledge itself, of type text. It may be a megabyte: lists and the answer to a sync leave the field out. */
      text?: (string | null);
      /**  */
      website: ({
        /** Page to start from. Must be an http or https URL in ASCII, such as https://example.com/hook, without user and password. */
        url: string;
        /** Links followed from the first page; 0: that page alone. Default 5. */
        max_depth?: number;
        /** Most pages kept. Default 500. */
        max_pages?: number;
        /** Patterns of paths to keep, as in /help/*. */
        include?: string[];
        /** Patterns of paths to leave out. */
        exclude?: string[];
        /** Milliseconds from one request to the next; 0: several at once. Default 500. */
        delay_ms?: number;
      } | null);
      /**  */
      integration: ({
        /** Address of the feed that documents are read from. Must be an http or https URL in ASCII, such as https://example.com/hook, without user and password. */
        url: string;
        /** Extra headers of the request. */
        headers?: { [name: string]: string };
        /** Secret sent as bearer token; it must carry the label parley.dev/allow: "true". */
        secret_ref?: {
          /** Name of the Secret, in the same namespace. Must be a DNS name: lower-case letters, digits, hyphens and dots, a letter or digit at both ends. */
          name: string;
          /** Key inside the Secret. Must be letters, digits, dots, hyphens and underscores. */
          key: string;
        };
        /** Secret that requests are signed with, as events are; it must carry the label parley.dev/allow: "true". */
        signing_secret_ref?: {
          /** Name of the Secret, in the same namespace. Must be a DNS name: lower-case letters, digits, hyphens and dots, a letter or digit at both ends. */
          name: string;
          /** Key inside the Secret. Must be letters, digits, dots, hyphens and underscores. */
          key: string;
        };
      } | null);
      /** Must be @hourly, @daily, @weekly, @monthly or the five fields of cron, such as 0 3 * * *. */
      schedule: (string | null);
      /**  */
      embeddings: ({
        /** ModelProvider of the same namespace, or default. Must be a DNS label: lower-case letters, digits and hyphens, at most 63, no hyphen at either end. */
        provider: string;
        /** Its embedding model; absent: the provider's embeddings.defaultModel. */
        model?: string;
      } | null);
      metadata: { [name: string]: string };
      managed_by: ('api' | 'kubernetes' | 'file');
      /** Whether it is in force as declared. */
      ready: boolean;
      status_message: (string | null);
      /** pending: nothing is indexed yet. */
      status: ('pending' | 'syncing' | 'ready' | 'refreshing' | 'error');
      /** Documents that are searched. */
      documents: number;
      /** Passages that are searched. */
      chunks: number;
      /** Passages that are found by their meaning too; null: it is not embedded. */
      embedded: (number | null);
      /** Why the last attempt to embed passages failed; null: it did not. */
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
      /** The unfinished one, of a website or an integration. */
      sync: ({
        /** sync_… */
        id: string;
        status: ('queued' | 'running');
        /** Unix seconds. */
        requested_at: number;
        /** Documents known of so far. */
        found: number;
        /** Of those, how many were looked at. */
        read: number;
      } | null);
      /** When it is read by itself: by its schedule, or again after a failure. */
      next_sync_at: (number | null);
    };
    /** A part of a source. */
    KnowledgeDocument: {
      /** doc_… */
      id: string;
      /** When it was made, Unix seconds. */
      created: number;
      /** When it last changed, Unix seconds. */
      updated: number;
      source_id: string;
      /** What it is called in its source: a file's name. */
      path: string;
      title: string;
      /** Where people open it. */
      url: (string | null);
      /** ISO 639-1, as it declares it or found out; null: not known. */
      language: (string | null);
      bytes: number;
      chunks: number;
    };
    /** One reading of a website or an integration. */
    KnowledgeSync: {
      /** sync_… */
      id: string;
      /** When it was made, Unix seconds. */
      created: number;
      source_id: string;
      /** request: somebody asked for it; declared: what is to be read is new; schedule; retry: again after one that failed. */
      trigger: ('request' | 'declared' | 'schedule' | 'retry');
      status: ('queued' | 'running' | 'succeeded' | 'failed' | 'canceled');
      /** Unix seconds. */
      requested_at: number;
      /** Unix seconds. */
      started_at: (number | null);
      /** Unix seconds. */
      finished_at: (number | null);
      /** Documents known of so far. */
      found: number;
      /** Of those, how many were looked at: all that follow. */
      read: number;
      unchanged: number;
      /** New ones and other ones. */
      changed: number;
      /** Could not be read; what was indexed of them stays. */
      failed: number;
      /** Are not to be read; what was indexed of them goes. */
      skipped: number;
      /** The first hundred that failed or were skipped. Lists leave it out. */
      problems?: {
        path: string;
        kind: ('failed' | 'skipped');
        reason: string;
      }[];
      /** Of a failed one: a word for programs. */
      reason: (string | null);
      /** Why it failed or was canceled. */
      error: (string | null);
      /** Of a succeeded one: the documents after it, and how many it changed. */
      result: ({
        documents: number;
        added: number;
        updated: number;
        removed: number;
        failed: number;
        duration_sec: number;
      } | null);
    };
    /** A passage that has some of what was asked. */
    SearchHit: {
      /** ks_…; of an answer to a gap: gap_…. */
      source_id: string;
      /** doc_…; of an answer to a gap: gap_…. */
      document_id: string;
      /** chk_… */
      chunk_id: string;
      /** Headings above it; of an answer: the question. */
      heading: string;
      text: string;
      /** How probable it is that it answers the question; never above that of a better hit. */
      score: number;
      /** How alike it is by its meaning, up to 1; null: it was not compared. */
      similarity: (number | null);
      why: components['schemas']['SearchHitReason'];
      /** With `agent_id`: whether a reply to this is given it, by `top_k` and `min_score` of the agent. */
      given: (boolean | null);
    };
    /** Why a passage was chosen. */
    SearchHitReason: {
      /** What the passage has of the question, what weighs most first. */
      matched: {
        /** A word of the question, as its stem. */
        word: string;
        /** As the passage has it: the same, one corrected, or one that means the same. */
        as: string;
        in: ('heading' | 'text' | 'both');
        /** What part of the question it is. */
        weight: number;
      }[];
      /** Stems of words that it has not. */
      missing: string[];
      /** How alike the question and the heading are; null: the heading is no question. */
      likeness: (number | null);
    };
    /** A passage of knowledge, as it is indexed. */
    KnowledgeChunk: {
      /** chk_… */
      id: string;
      /** When it was made, Unix seconds. */
      created: number;
      /** ks_…; of an answer to a gap: gap_…. */
      source_id: string;
      /** doc_…; of an answer to a gap: gap_…. */
      document_id: string;
      /** chk_… */
      chunk_id: string;
      /** Headings above it; of an answer: the question. */
      heading: string;
      text: string;
      /** null: an answer to a gap. */
      document_title: (string | null);
      /** What the document is called in its source. */
      path: (string | null);
      /** Where people open it; null: nowhere. */
      url: (string | null);
    };
    /** A question an agent had no answer to. */
    KnowledgeGap: {
      /** gap_… */
      id: string;
      /** When it was made, Unix seconds. */
      created: number;
      /** Where it was asked first. */
      conversation_id: string;
      agent_id: string;
      question: string;
      /** Of the best passage there was; 0: none. */
      top_score: number;
      status: ('open' | 'resolved');
      answer: (string | null);
      /** How often it was asked; repeated at once in one conversation, once. */
      count: number;
      /** Unix seconds. */
      last_asked_at: number;
      /** Unix seconds. */
      resolved_at: (number | null);
    };
    /** A gap, the words it was asked in, and the passages that came closest. */
    KnowledgeGapDetail: {
      /** gap_… */
      id: string;
      /** When it was made, Unix seconds. */
      created: number;
      /** Where it was asked first. */
      conversation_id: string;
      agent_id: string;
      question: string;
      /** Of the best passage there was; 0: none. */
      top_score: number;
      status: ('open' | 'resolved');
      answer: (string | null);
      /** How often it was asked; repeated at once in one conversation, once. */
      count: number;
      /** Unix seconds. */
      last_asked_at: number;
      /** Unix seconds. */
      resolved_at: (number | null);
      /** The words it was asked in, at most 20, most often first. */
      questions: {
        text: string;
        count: number;
        /** Unix seconds. */
        last_asked_at: number;
      }[];
      /** What came closest when it was asked first, best first, at most 5. */
      closest: {
        /** ks_…; of an answer to a gap: gap_…. */
        source_id: string;
        /** doc_…; of an answer to a gap: gap_…. */
        document_id: string;
        /** chk_… */
        chunk_id: string;
        /** null: the passage is gone since. */
        heading: (string | null);
        /** As it is now; null: it is gone since. */
        text: (string | null);
        /** When the gap was asked first. */
        score: number;
      }[];
    };
    /** Whether what was asked is answered by now. */
    KnowledgeGapCheck: {
      /** Whether all of them are. */
      answered: boolean;
      questions: {
        question: string;
        /** Whether a reply would be given a passage. */
        answered: boolean;
        /** Of the best passage, given or not; 0: none. */
        score: number;
        /** ks_…; of an answer to a gap: gap_…. null: it is not answered. */
        source_id: (string | null);
        /** doc_…; of an answer to a gap: gap_…. null: it is not answered. */
        document_id: (string | null);
        /** chk_…, the passage that a reply would be given first. null: it is not answered. */
        chunk_id: (string | null);
      }[];
    };
    /** Where models come from. */
    ModelProvider: {
      /** mp_… */
      id: string;
      /** When it was made, Unix seconds. */
      created: number;
      /** When it last changed, Unix seconds. */
      updated: number;
      /** What agents name it by; never changes. */
      name: string;
      /** Base of an OpenAI-compatible API. */
      base_url: string;
      /**  */
      api_key_secret_ref: ({
        /** Name of the Secret, in the same namespace. Must be a DNS name: lower-case letters, digits, hyphens and dots, a letter or digit at both ends. */
        name: string;
        /** Key inside the Secret. Must be letters, digits, dots, hyphens and underscores. */
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
        /** Model of agents that name none, as the provider calls it. */
        default_model?: string;
        /** Models that agents may ask for; absent: any. */
        models?: string[];
        /** When an answer is waited for no longer. */
        timeouts?: {
          /** Longest wait for the first part of an answer; 15000 when absent. */
          first_token_ms?: number;
          /** Longest wait between two parts; 15000 when absent. */
          between_tokens_ms?: number;
          /** Longest time of one answer; 120000 when absent. */
          total_ms?: number;
        };
        /** What tokens cost, for all its models; the cost of a turn comes from it. */
        pricing?: {
          /** ISO 4217 code, such as USD. Must be a currency of three capitals, such as USD. */
          currency: string;
          /** Price of a million tokens of prompts. */
          input_per_million_tokens: number;
          /** Price of a million tokens of answers. */
          output_per_million_tokens: number;
          /** Of prompt tokens that the provider had cached; absent: as the others. */
          cached_input_per_million_tokens?: number;
        };
      } | null);
      /**  */
      embeddings: ({
        /** Embedding model of knowledge that names none. */
        default_model: string;
        /** Numbers of a vector to ask for, where the model has a choice; absent: the model's own. */
        dimensions?: number;
        /** Most texts of one request; 64 when absent. */
        batch_size?: number;
      } | null);
      /**  */
      speech: ({
        /** Model that speaks for agents that name none. */
        default_model: string;
        /** Voice of agents that name none, as the provider calls it. */
        default_voice: string;
        /** Models that agents may speak with; absent: any. */
        models?: string[];
      } | null);
      /**  */
      transcription: ({
        /** Model that hears for agents that name none. */
        default_model: string;
        /** Models that agents may hear with; absent: any. */
        models?: string[];
      } | null);
      /**  */
      limits: ({
        /** Most requests at once of each API process; absent: no limit. */
        max_concurrent_requests?: number;
      } | null);
      headers: { [name: string]: string };
      query: { [name: string]: string };
      metadata: { [name: string]: string };
      managed_by: ('api' | 'kubernetes' | 'file');
      /** Whether it is in force as declared, and answers. */
      ready: boolean;
      status_message: (string | null);
    };
    /** An account at a carrier, and its numbers. */
    TelephonyProvider: {
      /** tp_… */
      id: string;
      /** When it was made, Unix seconds. */
      created: number;
      /** When it last changed, Unix seconds. */
      updated: number;
      /** Name by which calls refer to it; never changes. */
      name: string;
      type: ('twilio' | 'telnyx' | 'plivo');
      /** Id of the account at the carrier. */
      account_id: string;
      /** Secret with the token for the carrier's API; for Twilio the auth token, which also signs the carrier's requests, for Telnyx an API key, for Plivo the Auth Token, which also signs its requests. It must carry the label parley.dev/allow: "true". */
      auth_token_secret_ref: ({
        /** Name of the Secret, in the same namespace. Must be a DNS name: lower-case letters, digits, hyphens and dots, a letter or digit at both ends. */
        name: string;
        /** Key inside the Secret. Must be letters, digits, dots, hyphens and underscores. */
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
        /** Text spoken to callers beyond that maximum; default: they hear the busy tone. */
        busy_message?: string;
        /** Text spoken to a caller if no agent can answer. */
        closed_message?: string;
      } | null);
      /** The numbers as declared. */
      numbers: {
        /** In E.164. */
        number: string;
        /** Name of the agent that answers the number. */
        agent: string;
        /** Absent: the live version. */
        version?: number;
        /** Hours in which the number is answered, as declared; absent: always. */
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
      /** talk_…, to send in the first frame of the socket. */
      token: string;
      /** Unix seconds. */
      expires_at: number;
      /** ws:// or wss:// */
      socket_url: string;
      agent: {
        id: string;
        display_name: (string | null);
        language: (string | null);
      };
      /** Contains `voice` if ModelProviders recognize and synthesize the speech. */
      modes: ('chat' | 'voice')[];
    };
    /** An API key; it works in its namespace only. */
    ApiKey: {
      /** key_… */
      id: string;
      /** When it was made, Unix seconds. */
      created: number;
      name: string;
      scopes: ('read' | 'write' | 'publish' | 'replay' | 'keys')[];
      /** How the key begins, to tell it from others. */
      prefix: string;
      /** Good to about a minute. */
      last_used_at: (number | null);
      /** When it ends, as it was made or by a rotation; null: it does not. */
      expires_at: (number | null);
    };
    /** A new API key with its text. */
    CreatedApiKey: {
      /** key_… */
      id: string;
      /** When it was made, Unix seconds. */
      created: number;
      name: string;
      scopes: ('read' | 'write' | 'publish' | 'replay' | 'keys')[];
      /** How the key begins, to tell it from others. */
      prefix: string;
      /** Good to about a minute. */
      last_used_at: (number | null);
      /** When it ends, as it was made or by a rotation; null: it does not. */
      expires_at: (number | null);
      /** The key. Shown now and never again. */
      key: string;
    };
    /** Somebody who is signed in; it may do what its key may. */
    Session: {
      /** ses_… */
      id: string;
      /** When it was made, Unix seconds. */
      created: number;
      /** The person's, as they gave it. */
      name: string;
      /** key_… that it was signed in with. */
      api_key_id: string;
      /** Those of its key. */
      scopes: ('read' | 'write' | 'publish' | 'replay' | 'keys')[];
      namespace: string;
      /** When it ends however it is used; with its key, if that is sooner. */
      expires_at: number;
      /** When it ends unless it is used before. */
      idle_expires_at: number;
      /** Good to about half a minute. */
      last_seen_at: number;
    };
    /** Who asks, and what they may do. */
    Me: {
      namespace: string;
      /** How histories name it: api:key_… or session:<name>. */
      actor: string;
      /** The person's; null: no session. */
      name: (string | null);
      /** What it may do. */
      scopes: ('read' | 'write' | 'publish' | 'replay' | 'keys')[];
      /** The key that was sent, or that the session was signed in with. */
      api_key: {
        /** key_… */
        id: string;
        name: string;
        /** How the key begins, to tell it from others. */
        prefix: string;
        /** null: it does not end by itself. */
        expires_at: (number | null);
      };
      /** Which session it is. */
      session: ({
        /** ses_… */
        id: string;
        /** When it was made, Unix seconds. */
        created: number;
        /** When it ends however it is used; with its key, if that is sooner. */
        expires_at: number;
        /** When it ends unless it is used before. */
        idle_expires_at: number;
      } | null);
      /** Of the program that answers. */
      version: string;
    };
    /** One line of the append-only account of who did what. */
    AuditLine: {
      /** aud_… */
      id: string;
      /** When it was made, Unix seconds. */
      created: number;
      /** api:key_…, session:<name>, kubernetes:<manager>, file, cli or environment. */
      actor: string;
      /** ses_…; `session.created` has its key. null: no session. */
      session_id: (string | null);
      /** Such as api_key.rotated. */
      action: string;
      /** Id of what it was done to. */
      target: string;
      /** What it was, of what changed; null: it was not there. */
      before: ({ [name: string]: unknown } | null);
      /** What it is since; null: it is there no more. */
      after: ({ [name: string]: unknown } | null);
      detail: { [name: string]: unknown };
      /** unknown: begun, and it is not known whether it was done. */
      outcome: ('done' | 'unknown');
      /** Of the other end of the connection, which may be a proxy. */
      address: (string | null);
      user_agent: (string | null);
      request_id: (string | null);
    };
    /** Limits of a namespace, and what is used of them. */
    Usage: {
      /** What the namespace has. */
      quotas: {
        agents: components['schemas']['Used'];
        webhook_endpoints: components['schemas']['Used'];
        knowledge_sources: components['schemas']['Used'];
        model_providers: components['schemas']['Used'];
        telephony_providers: components['schemas']['Used'];
        knowledge_bytes: components['schemas']['Used'];
        api_keys: components['schemas']['Used'];
      };
      /** In the process that answers; `replay_jobs` in all of them together. */
      in_flight: {
        event_streams: components['schemas']['UsedShares'];
        message_streams: components['schemas']['UsedShares'];
        uploads: components['schemas']['UsedShares'];
        replay_requests: components['schemas']['UsedShares'];
        replay_jobs: components['schemas']['UsedShares'];
      };
    };
    /** A limit, and how much of it is used. */
    Used: {
      /** null: there is none. */
      limit: (number | null);
      used: number;
    };
    /** What is under way at once. */
    UsedShares: {
      /** Of the calling API key. */
      api_key: {
        /** null: there is none. */
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
          /** Items in a page. */
          limit?: number;
          /** `next_cursor` of the page before. */
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
            /** For `cursor`; null: the last page. */
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
          /** Makes a repeat safe: for 24 h the same request is answered the same again, with `Idempotency-Replayed: true`. */
          'Idempotency-Key'?: string;
        };
        path?: never;
        cookie?: never;
      };
      requestBody: { content: {
        'application/json': {
          /** DNS label, unique in the namespace; made from display_name when absent. Must be a DNS label: lower-case letters, digits and hyphens, at most 63, no hyphen at either end. */
          name?: string;
          /** Name shown to people. */
          display_name?: string;
          /** Instructions the agent follows. */
          prompt: string;
          /** How the agent speaks. */
          voice?: {
            /** Who speaks: a ModelProvider with speech in the same namespace, or a provider that the carrier knows. */
            provider?: string;
            /** Model to speak with; absent: the provider's default. */
            model?: string;
            /** The provider's id of the voice. */
            voice_id?: string;
            /** BCP 47 tag of the spoken language, such as en-GB. Must be a language tag, such as en or pt-BR. */
            language?: string;
            /** Speed of speech; 1 is the natural one. */
            speed?: number;
            /** Who speaks, in this order, when the first cannot. */
            fallback?: {
              /** Absent: that of the voice. */
              provider?: string;
              /** Absent: the provider's default. */
              model?: string;
              /** Absent: that of the voice with the same provider, else the provider's default. */
              voice_id?: string;
            }[];
          };
          /** How the agent hears. */
          transcriber?: {
            /** Who writes down what users say: a ModelProvider with transcription in the same namespace, or a provider that the carrier knows. */
            provider?: string;
            /** Model to hear with; absent: the provider's default. */
            model?: string;
            /** BCP 47 tag of what users speak, such as en-GB. Must be a language tag, such as en or pt-BR. */
            language?: string;
            /** Names and words that are likely, and hard to hear. */
            keywords?: string[];
            /** True: after an interruption, the transcriber also transcribes the agent's interrupted sentence, in two requests, to find the last word that was played. False when absent: the position is estimated from the sound. */
            retranscribe_interrupted?: boolean;
            /** Who hears, in this order, when the first cannot. */
            fallback?: {
              /** Absent: that of the transcriber. */
              provider?: string;
              /** Absent: the provider's default. */
              model?: string;
            }[];
          };
          /** What the agent can do besides talking. */
          tools?: {
            /** What happens when the agent uses the tool. */
            type: ('webhook' | 'end_call' | 'transfer_call' | 'knowledge_search' | 'handoff');
            /** Name the model calls the tool by; unique within the agent. Must be letters, digits, underscores and hyphens, and begin with a letter or underscore. */
            name: string;
            /** Tells the model when to use the tool. */
            description?: string;
            /** JSON Schema of the arguments the model fills in; at most 64 KiB, 2000 members and elements, 64 deep. */
            parameters?: { [name: string]: unknown };
            /** Address a webhook tool calls. Must be an http or https URL in ASCII, such as https://example.com/hook, without user and password. */
            url?: string;
            /** HTTP method of a webhook tool; POST when absent. */
            method?: ('GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE');
            /** Extra headers of the request. */
            headers?: { [name: string]: string };
            /** Secret sent as bearer token; it must carry the label parley.dev/allow: "true". */
            secret_ref?: {
              /** Name of the Secret, in the same namespace. Must be a DNS name: lower-case letters, digits, hyphens and dots, a letter or digit at both ends. */
              name: string;
              /** Key inside the Secret. Must be letters, digits, dots, hyphens and underscores. */
              key: string;
            };
            /** Secret that requests are signed with, as events are; it must carry the label parley.dev/allow: "true". */
            signing_secret_ref?: {
              /** Name of the Secret, in the same namespace. Must be a DNS name: lower-case letters, digits, hyphens and dots, a letter or digit at both ends. */
              name: string;
              /** Key inside the Secret. Must be letters, digits, dots, hyphens and underscores. */
              key: string;
            };
            /** Longest wait for the whole answer, in milliseconds; 8000 when absent. */
            timeout_ms?: number;
            /** Agent that a handoff tool hands the conversation to, in the same namespace. Must be a DNS label: lower-case letters, digits and hyphens, at most 63, no hyphen at either end. */
            agent?: string;
            /** Version of that agent; absent: what is live of it when this version goes live. */
            version?: number;
          }[];
          /** What the agent says first. */
          first_message?: string;
          /** False: in a call it is said to its end, whatever the user says; true when absent. */
          first_message_interruptible?: boolean;
          /** BCP 47 tag of the language, such as en-GB. Must be a language tag, such as en or pt-BR. */
          language?: string;
          /** The language model and its settings. */
          model?: {
            /** ModelProvider in the same namespace; absent, or default: the provider of the operator's settings. Must be a DNS label: lower-case letters, digits and hyphens, at most 63, no hyphen at either end. */
            provider?: string;
            /** Model to ask for; absent: the provider's default. */
            name?: string;
            /** Sampling temperature. */
            temperature?: number;
            /** Most tokens of one reply. */
            max_tokens?: number;
            /** Models to ask, in this order, when the first cannot answer. */
            fallback?: {
              /** ModelProvider in the same namespace; absent, or default: the provider of the operator's settings. Must be a DNS label: lower-case letters, digits and hyphens, at most 63, no hyphen at either end. */
              provider?: string;
              /** Model to ask for; absent: the provider's default. */
              name?: string;
            }[];
          };
          /** What the agent answers from. */
          knowledge?: {
            /** Answers from every knowledge source of the namespace, also from those to come. */
            all?: boolean;
            /** Answers from the knowledge sources of the namespace whose metadata matches. */
            selector?: {
              /** Pairs that its metadata must all have, with these values. */
              match_metadata: { [name: string]: string };
            };
            /** Ids of the knowledge sources to answer from. */
            source_ids?: string[];
            /** Names of the knowledge sources to answer from, in the same namespace. */
            source_names?: string[];
            /** Most passages given to a reply. */
            top_k?: number;
            /** Passages scored lower are left out; none left is a knowledge gap. */
            min_score?: number;
          };
          /** When and how a human takes over. */
          escalation?: {
            /** When the agent asks for a human. */
            rules?: {
              /** What calls for a human. */
              when: ('user_request' | 'keyword' | 'tool_failure' | 'low_confidence' | 'mood' | 'turn_limit');
              /** Words of the user that call for a human; for keyword. */
              keywords?: string[];
              /** How many times in a row; for tool_failure, low_confidence and mood. For turn_limit: messages of the user. */
              count?: number;
              /** Reason shown with the escalation. */
              reason?: string;
              /** Who is asked by this rule, instead of the team of all rules. */
              team?: string;
            }[];
            /** How long to wait for a human to accept, in seconds. */
            timeout_sec?: number;
            /** Label of the people who are asked. */
            team?: string;
            /** Who is asked next when nobody accepts in time; absent: the agent goes on. */
            fallback_team?: string;
            /** Who is rung when a human is asked for in a telephone call; absent: people write or speak by the API. */
            telephone?: {
              /** In E.164, as in +442071838750. Must be a phone number as +442071838750: a plus sign and 7 to 15 digits. */
              to: string;
            };
            /** When people are there; absent: always. */
            hours?: {
              /** IANA name of the time zone, such as Europe/Berlin. Must be a name of the IANA time zone database. */
              time_zone: string;
              /** When people are there, on every such day. */
              open: {
                /** Days of the week. */
                days: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[];
                /** First minute, as 09:00. Must be a time from 00:00 to 24:00, such as 09:30. */
                from: string;
                /** Until then, as 17:30; 24:00 is the end of the day. Must be a time from 00:00 to 24:00, such as 09:30. */
                to: string;
              }[];
              /** Dates on which nobody is there. */
              closed_on?: string[];
              /** Said when nobody is there; {{opens}} becomes when somebody is. */
              closed_message?: string;
            };
          };
          /** When a conversation is ended. */
          limits?: {
            /** A conversation is ended after this many seconds. */
            max_duration_sec?: number;
            /** A conversation is ended after this many seconds without a word of the user. */
            silence_timeout_sec?: number;
          };
          /** What is taken out of what users say, before anything is stored or read. */
          redaction?: ('card' | 'email' | 'phone' | 'iban')[];
          /** Who judges a conversation when it has ended. */
          judgement?: {
            /** rule, as when absent: by what was counted. model: by a language model as well. */
            by: ('rule' | 'model');
            /** The model that judges; absent: the agent's own. */
            model?: {
              /** ModelProvider in the same namespace; absent, or default: the default one. Must be a DNS label: lower-case letters, digits and hyphens, at most 63, no hyphen at either end. */
              provider?: string;
              /** Model to ask for; absent: the provider's default. */
              name?: string;
            };
            /** What conversations can be about; absent: the model finds the words. */
            topics?: string[];
          };
          /** Free key-value pairs of yours; kept and shown, never read. */
          metadata?: { [name: string]: string };
          /** Who may talk with it from their pages; absent: nobody. */
          widget?: {
            /** Origins whose pages may talk with it, such as https://shop.example.com, capacitor://localhost or https://*.preview.example.com. */
            allowed_origins: string[];
            /** Most visitors who speak at once, and who come in a minute; 100 when absent. */
            max_concurrent?: number;
          };
          /** automatic (the default): new content goes live at once. manual: when published. */
          publish_policy?: ('automatic' | 'manual');
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
          /** An `ETag` as it was answered, or `*`; what was changed since is refused with 412. */
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
          /** Instructions the agent follows. */
          prompt?: (string | null);
          /** How the agent speaks. */
          voice?: ({
            /** Who speaks: a ModelProvider with speech in the same namespace, or a provider that the carrier knows. */
            provider?: (string | null);
            /** Model to speak with; absent: the provider's default. */
            model?: (string | null);
            /** The provider's id of the voice. */
            voice_id?: (string | null);
            /** BCP 47 tag of the spoken language, such as en-GB. Must be a language tag, such as en or pt-BR. */
            language?: (string | null);
            /** Speed of speech; 1 is the natural one. */
            speed?: (number | null);
            /** Who speaks, in this order, when the first cannot. */
            fallback?: ({
              /** Absent: that of the voice. */
              provider?: string;
              /** Absent: the provider's default. */
              model?: string;
              /** Absent: that of the voice with the same provider, else the provider's default. */
              voice_id?: string;
            }[] | null);
          } | null);
          /** How the agent hears. */
          transcriber?: ({
            /** Who writes down what users say: a ModelProvider with transcription in the same namespace, or a provider that the carrier knows. */
            provider?: (string | null);
            /** Model to hear with; absent: the provider's default. */
            model?: (string | null);
            /** BCP 47 tag of what users speak, such as en-GB. Must be a language tag, such as en or pt-BR. */
            language?: (string | null);
            /** Names and words that are likely, and hard to hear. */
            keywords?: (string[] | null);
            /** True: after an interruption, the transcriber also transcribes the agent's interrupted sentence, in two requests, to find the last word that was played. False when absent: the position is estimated from the sound. */
            retranscribe_interrupted?: (boolean | null);
            /** Who hears, in this order, when the first cannot. */
            fallback?: ({
              /** Absent: that of the transcriber. */
              provider?: string;
              /** Absent: the provider's default. */
              model?: string;
            }[] | null);
          } | null);
          /** What the agent can do besides talking. */
          tools?: ({
            /** What happens when the agent uses the tool. */
            type: ('webhook' | 'end_call' | 'transfer_call' | 'knowledge_search' | 'handoff');
            /** Name the model calls the tool by; unique within the agent. Must be letters, digits, underscores and hyphens, and begin with a letter or underscore. */
            name: string;
            /** Tells the model when to use the tool. */
            description?: string;
            /** JSON Schema of the arguments the model fills in; at most 64 KiB, 2000 members and elements, 64 deep. */
            parameters?: { [name: string]: unknown };
            /** Address a webhook tool calls. Must be an http or https URL in ASCII, such as https://example.com/hook, without user and password. */
            url?: string;
            /** HTTP method of a webhook tool; POST when absent. */
            method?: ('GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE');
            /** Extra headers of the request. */
            headers?: { [name: string]: string };
            /** Secret sent as bearer token; it must carry the label parley.dev/allow: "true". */
            secret_ref?: {
              /** Name of the Secret, in the same namespace. Must be a DNS name: lower-case letters, digits, hyphens and dots, a letter or digit at both ends. */
              name: string;
              /** Key inside the Secret. Must be letters, digits, dots, hyphens and underscores. */
              key: string;
            };
            /** Secret that requests are signed with, as events are; it must carry the label parley.dev/allow: "true". */
            signing_secret_ref?: {
              /** Name of the Secret, in the same namespace. Must be a DNS name: lower-case letters, digits, hyphens and dots, a letter or digit at both ends. */
              name: string;
              /** Key inside the Secret. Must be letters, digits, dots, hyphens and underscores. */
              key: string;
            };
            /** Longest wait for the whole answer, in milliseconds; 8000 when absent. */
            timeout_ms?: number;
            /** Agent that a handoff tool hands the conversation to, in the same namespace. Must be a DNS label: lower-case letters, digits and hyphens, at most 63, no hyphen at either end. */
            agent?: string;
            /** Version of that agent; absent: what is live of it when this version goes live. */
            version?: number;
          }[] | null);
          /** What the agent says first. */
          first_message?: (string | null);
          /** False: in a call it is said to its end, whatever the user says; true when absent. */
          first_message_interruptible?: (boolean | null);
          /** BCP 47 tag of the language, such as en-GB. Must be a language tag, such as en or pt-BR. */
          language?: (string | null);
          /** The language model and its settings. */
          model?: ({
            /** ModelProvider in the same namespace; absent, or default: the provider of the operator's settings. Must be a DNS label: lower-case letters, digits and hyphens, at most 63, no hyphen at either end. */
            provider?: (string | null);
            /** Model to ask for; absent: the provider's default. */
            name?: (string | null);
            /** Sampling temperature. */
            temperature?: (number | null);
            /** Most tokens of one reply. */
            max_tokens?: (number | null);
            /** Models to ask, in this order, when the first cannot answer. */
            fallback?: ({
              /** ModelProvider in the same namespace; absent, or default: the provider of the operator's settings. Must be a DNS label: lower-case letters, digits and hyphens, at most 63, no hyphen at either end. */
              provider?: string;
              /** Model to ask for; absent: the provider's default. */
              name?: string;
            }[] | null);
          } | null);
          /** What the agent answers from. */
          knowledge?: ({
            /** Answers from every knowledge source of the namespace, also from those to come. */
            all?: (boolean | null);
            /** Answers from the knowledge sources of the namespace whose metadata matches. */
            selector?: ({
              /** Pairs that its metadata must all have, with these values. */
              match_metadata?: ({ [name: string]: (string | null) } | null);
            } | null);
            /** Ids of the knowledge sources to answer from. */
            source_ids?: (string[] | null);
            /** Names of the knowledge sources to answer from, in the same namespace. */
            source_names?: (string[] | null);
            /** Most passages given to a reply. */
            top_k?: (number | null);
            /** Passages scored lower are left out; none left is a knowledge gap. */
            min_score?: (number | null);
          } | null);
          /** When and how a human takes over. */
          escalation?: ({
            /** When the agent asks for a human. */
            rules?: ({
              /** What calls for a human. */
              when: ('user_request' | 'keyword' | 'tool_failure' | 'low_confidence' | 'mood' | 'turn_limit');
              /** Words of the user that call for a human; for keyword. */
              keywords?: string[];
              /** How many times in a row; for tool_failure, low_confidence and mood. For turn_limit: messages of the user. */
              count?: number;
              /** Reason shown with the escalation. */
              reason?: string;
              /** Who is asked by this rule, instead of the team of all rules. */
              team?: string;
            }[] | null);
            /** How long to wait for a human to accept, in seconds. */
            timeout_sec?: (number | null);
            /** Label of the people who are asked. */
            team?: (string | null);
            /** Who is asked next when nobody accepts in time; absent: the agent goes on. */
            fallback_team?: (string | null);
            /** Who is rung when a human is asked for in a telephone call; absent: people write or speak by the API. */
            telephone?: ({
              /** In E.164, as in +442071838750. Must be a phone number as +442071838750: a plus sign and 7 to 15 digits. */
              to?: (string | null);
            } | null);
            /** When people are there; absent: always. */
            hours?: ({
              /** IANA name of the time zone, such as Europe/Berlin. Must be a name of the IANA time zone database. */
              time_zone?: (string | null);
              /** When people are there, on every such day. */
              open?: ({
                /** Days of the week. */
                days: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[];
                /** First minute, as 09:00. Must be a time from 00:00 to 24:00, such as 09:30. */
                from: string;
                /** Until then, as 17:30; 24:00 is the end of the day. Must be a time from 00:00 to 24:00, such as 09:30. */
                to: string;
              }[] | null);
              /** Dates on which nobody is there. */
              closed_on?: (string[] | null);
              /** Said when nobody is there; {{opens}} becomes when somebody is. */
              closed_message?: (string | null);
            } | null);
          } | null);
          /** When a conversation is ended. */
          limits?: ({
            /** A conversation is ended after this many seconds. */
            max_duration_sec?: (number | null);
            /** A conversation is ended after this many seconds without a word of the user. */
            silence_timeout_sec?: (number | null);
          } | null);
          /** What is taken out of what users say, before anything is stored or read. */
          redaction?: (('card' | 'email' | 'phone' | 'iban')[] | null);
          /** Who judges a conversation when it has ended. */
          judgement?: ({
            /** rule, as when absent: by what was counted. model: by a language model as well. */
            by?: ('rule' | 'model' | null);
            /** The model that judges; absent: the agent's own. */
            model?: ({
              /** ModelProvider in the same namespace; absent, or default: the default one. Must be a DNS label: lower-case letters, digits and hyphens, at most 63, no hyphen at either end. */
              provider?: (string | null);
              /** Model to ask for; absent: the provider's default. */
              name?: (string | null);
            } | null);
            /** What conversations can be about; absent: the model finds the words. */
            topics?: (string[] | null);
          } | null);
          /** Free key-value pairs of yours; kept and shown, never read. */
          metadata?: ({ [name: string]: (string | null) } | null);
          /** Who may talk with it from their pages; absent: nobody. */
          widget?: ({
            /** Origins whose pages may talk with it, such as https://shop.example.com, capacitor://localhost or https://*.preview.example.com. */
            allowed_origins?: (string[] | null);
            /** Most visitors who speak at once, and who come in a minute; 100 when absent. */
            max_concurrent?: (number | null);
          } | null);
          /** automatic (the default): new content goes live at once. manual: when published. */
          publish_policy?: ('automatic' | 'manual' | null);
        };
        'application/merge-patch+json': {
          name?: unknown;
          /** Name shown to people. */
          display_name?: (string | null);
          /** Instructions the agent follows. */
          prompt?: (string | null);
          /** How the agent speaks. */
          voice?: ({
            /** Who speaks: a ModelProvider with speech in the same namespace, or a provider that the carrier knows. */
            provider?: (string | null);
            /** Model to speak with; absent: the provider's default. */
            model?: (string | null);
            /** The provider's id of the voice. */
            voice_id?: (string | null);
            /** BCP 47 tag of the spoken language, such as en-GB. Must be a language tag, such as en or pt-BR. */
            language?: (string | null);
            /** Speed of speech; 1 is the natural one. */
            speed?: (number | null);
            /** Who speaks, in this order, when the first cannot. */
            fallback?: ({
              /** Absent: that of the voice. */
              provider?: string;
              /** Absent: the provider's default. */
              model?: string;
              /** Absent: that of the voice with the same provider, else the provider's default. */
              voice_id?: string;
            }[] | null);
          } | null);
          /** How the agent hears. */
          transcriber?: ({
            /** Who writes down what users say: a ModelProvider with transcription in the same namespace, or a provider that the carrier knows. */
            provider?: (string | null);
            /** Model to hear with; absent: the provider's default. */
            model?: (string | null);
            /** BCP 47 tag of what users speak, such as en-GB. Must be a language tag, such as en or pt-BR. */
            language?: (string | null);
            /** Names and words that are likely, and hard to hear. */
            keywords?: (string[] | null);
            /** True: after an interruption, the transcriber also transcribes the agent's interrupted sentence, in two requests, to find the last word that was played. False when absent: the position is estimated from the sound. */
            retranscribe_interrupted?: (boolean | null);
            /** Who hears, in this order, when the first cannot. */
            fallback?: ({
              /** Absent: that of the transcriber. */
              provider?: string;
              /** Absent: the provider's default. */
              model?: string;
            }[] | null);
          } | null);
          /** What the agent can do besides talking. */
          tools?: ({
            /** What happens when the agent uses the tool. */
            type: ('webhook' | 'end_call' | 'transfer_call' | 'knowledge_search' | 'handoff');
            /** Name the model calls the tool by; unique within the agent. Must be letters, digits, underscores and hyphens, and begin with a letter or underscore. */
            name: string;
            /** Tells the model when to use the tool. */
            description?: string;
            /** JSON Schema of the arguments the model fills in; at most 64 KiB, 2000 members and elements, 64 deep. */
            parameters?: { [name: string]: unknown };
            /** Address a webhook tool calls. Must be an http or https URL in ASCII, such as https://example.com/hook, without user and password. */
            url?: string;
            /** HTTP method of a webhook tool; POST when absent. */
            method?: ('GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE');
            /** Extra headers of the request. */
            headers?: { [name: string]: string };
            /** Secret sent as bearer token; it must carry the label parley.dev/allow: "true". */
            secret_ref?: {
              /** Name of the Secret, in the same namespace. Must be a DNS name: lower-case letters, digits, hyphens and dots, a letter or digit at both ends. */
              name: string;
              /** Key inside the Secret. Must be letters, digits, dots, hyphens and underscores. */
              key: string;
            };
            /** Secret that requests are signed with, as events are; it must carry the label parley.dev/allow: "true". */
            signing_secret_ref?: {
              /** Name of the Secret, in the same namespace. Must be a DNS name: lower-case letters, digits, hyphens and dots, a letter or digit at both ends. */
              name: string;
              /** Key inside the Secret. Must be letters, digits, dots, hyphens and underscores. */
              key: string;
            };
            /** Longest wait for the whole answer, in milliseconds; 8000 when absent. */
            timeout_ms?: number;
            /** Agent that a handoff tool hands the conversation to, in the same namespace. Must be a DNS label: lower-case letters, digits and hyphens, at most 63, no hyphen at either end. */
            agent?: string;
            /** Version of that agent; absent: what is live of it when this version goes live. */
            version?: number;
          }[] | null);
          /** What the agent says first. */
          first_message?: (string | null);
          /** False: in a call it is said to its end, whatever the user says; true when absent. */
          first_message_interruptible?: (boolean | null);
          /** BCP 47 tag of the language, such as en-GB. Must be a language tag, such as en or pt-BR. */
          language?: (string | null);
          /** The language model and its settings. */
          model?: ({
            /** ModelProvider in the same namespace; absent, or default: the provider of the operator's settings. Must be a DNS label: lower-case letters, digits and hyphens, at most 63, no hyphen at either end. */
            provider?: (string | null);
            /** Model to ask for; absent: the provider's default. */
            name?: (string | null);
            /** Sampling temperature. */
            temperature?: (number | null);
            /** Most tokens of one reply. */
            max_tokens?: (number | null);
            /** Models to ask, in this order, when the first cannot answer. */
            fallback?: ({
              /** ModelProvider in the same namespace; absent, or default: the provider of the operator's settings. Must be a DNS label: lower-case letters, digits and hyphens, at most 63, no hyphen at either end. */
              provider?: string;
              /** Model to ask for; absent: the provider's default. */
              name?: string;
            }[] | null);
          } | null);
          /** What the agent answers from. */
          knowledge?: ({
            /** Answers from every knowledge source of the namespace, also from those to come. */
            all?: (boolean | null);
            /** Answers from the knowledge sources of the namespace whose metadata matches. */
            selector?: ({
              /** Pairs that its metadata must all have, with these values. */
              match_metadata?: ({ [name: string]: (string | null) } | null);
            } | null);
            /** Ids of the knowledge sources to answer from. */
            source_ids?: (string[] | null);
            /** Names of the knowledge sources to answer from, in the same namespace. */
            source_names?: (string[] | null);
            /** Most passages given to a reply. */
            top_k?: (number | null);
            /** Passages scored lower are left out; none left is a knowledge gap. */
            min_score?: (number | null);
          } | null);
          /** When and how a human takes over. */
          escalation?: ({
            /** When the agent asks for a human. */
            rules?: ({
              /** What calls for a human. */
              when: ('user_request' | 'keyword' | 'tool_failure' | 'low_confidence' | 'mood' | 'turn_limit');
              /** Words of the user that call for a human; for keyword. */
              keywords?: string[];
              /** How many times in a row; for tool_failure, low_confidence and mood. For turn_limit: messages of the user. */
              count?: number;
              /** Reason shown with the escalation. */
              reason?: string;
              /** Who is asked by this rule, instead of the team of all rules. */
              team?: string;
            }[] | null);
            /** How long to wait for a human to accept, in seconds. */
            timeout_sec?: (number | null);
            /** Label of the people who are asked. */
            team?: (string | null);
            /** Who is asked next when nobody accepts in time; absent: the agent goes on. */
            fallback_team?: (string | null);
            /** Who is rung when a human is asked for in a telephone call; absent: people write or speak by the API. */
            telephone?: ({
              /** In E.164, as in +442071838750. Must be a phone number as +442071838750: a plus sign and 7 to 15 digits. */
              to?: (string | null);
            } | null);
            /** When people are there; absent: always. */
            hours?: ({
              /** IANA name of the time zone, such as Europe/Berlin. Must be a name of the IANA time zone database. */
              time_zone?: (string | null);
              /** When people are there, on every such day. */
              open?: ({
                /** Days of the week. */
                days: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[];
                /** First minute, as 09:00. Must be a time from 00:00 to 24:00, such as 09:30. */
                from: string;
                /** Until then, as 17:30; 24:00 is the end of the day. Must be a time from 00:00 to 24:00, such as 09:30. */
                to: string;
              }[] | null);
              /** Dates on which nobody is there. */
              closed_on?: (string[] | null);
              /** Said when nobody is there; {{opens}} becomes when somebody is. */
              closed_message?: (string | null);
            } | null);
          } | null);
          /** When a conversation is ended. */
          limits?: ({
            /** A conversation is ended after this many seconds. */
            max_duration_sec?: (number | null);
            /** A conversation is ended after this many seconds without a word of the user. */
            silence_timeout_sec?: (number | null);
          } | null);
          /** What is taken out of what users say, before anything is stored or read. */
          redaction?: (('card' | 'email' | 'phone' | 'iban')[] | null);
          /** Who judges a conversation when it has ended. */
          judgement?: ({
            /** rule, as when absent: by what was counted. model: by a language model as well. */
            by?: ('rule' | 'model' | null);
            /** The model that judges; absent: the agent's own. */
            model?: ({
              /** ModelProvider in the same namespace; absent, or default: the default one. Must be a DNS label: lower-case letters, digits and hyphens, at most 63, no hyphen at either end. */
              provider?: (string | null);
              /** Model to ask for; absent: the provider's default. */
              name?: (string | null);
            } | null);
            /** What conversations can be about; absent: the model finds the words. */
            topics?: (string[] | null);
          } | null);
          /** Free key-value pairs of yours; kept and shown, never read. */
          metadata?: ({ [name: string]: (string | null) } | null);
          /** Who may talk with it from their pages; absent: nobody. */
          widget?: ({
            /** Origins whose pages may talk with it, such as https://shop.example.com, capacitor://localhost or https://*.preview.example.com. */
            allowed_origins?: (string[] | null);
            /** Most visitors who speak at once, and who come in a minute; 100 when absent. */
            max_concurrent?: (number | null);
          } | null);
          /** automatic (the default): new content goes live at once. manual: when published. */
          publish_policy?: ('automatic' | 'manual' | null);
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
          /** An `ETag` as it was answered, or `*`; what was changed since is refused with 412. */
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
          /** Makes a repeat safe: for 24 h the same request is answered the same again, with `Idempotency-Replayed: true`. */
          'Idempotency-Key'?: string;
          /** An `ETag` as it was answered, or `*`; what was changed since is refused with 412. */
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
          /** Version to pin; see the description. */
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
        409: Refused<('idempotency_in_progress' | 'managed_elsewhere' | 'write_conflict')>;
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
    /** Go back to an earlier version */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** Makes a repeat safe: for 24 h the same request is answered the same again, with `Idempotency-Replayed: true`. */
          'Idempotency-Key'?: string;
          /** An `ETag` as it was answered, or `*`; what was changed since is refused with 412. */
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
          /** Below the active one; default: the highest such that has been live. */
          version?: number;
          /** Kept in the history and shown in the event. */
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
        409: Refused<('idempotency_in_progress' | 'managed_elsewhere' | 'write_conflict' | 'nothing_to_roll_back_to')>;
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
          /** Items in a page. */
          limit?: number;
          /** `next_cursor` of the page before. */
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
            /** For `cursor`; null: the last page. */
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
    /** What changed from one version to another */
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
    /** List what went live when, newest first */
    get: {
      parameters: {
        query?: {
          /** Items in a page. */
          limit?: number;
          /** `next_cursor` of the page before. */
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
            /** For `cursor`; null: the last page. */
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
  '/v1/agents/{id}/stats': Only<{
    /** Figures of an agent, or of one version */
    get: {
      parameters: {
        query?: {
          /** Of this version only. */
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
    /** Figures of all agents by version */
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
  '/v1/webhooks': Only<{
    /** List webhook endpoints, newest first */
    get: {
      parameters: {
        query?: {
          status?: ('healthy' | 'failing' | 'disabled' | 'not_ready');
          enabled?: boolean;
          /** Items in a page. */
          limit?: number;
          /** `next_cursor` of the page before. */
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
            /** For `cursor`; null: the last page. */
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
          /** Makes a repeat safe: for 24 h the same request is answered the same again, with `Idempotency-Replayed: true`. */
          'Idempotency-Key'?: string;
        };
        path?: never;
        cookie?: never;
      };
      requestBody: { content: {
        'application/json': {
          /** Address the events are sent to, https. Must be an http or https URL in ASCII, such as https://example.com/hook, without user and password. */
          url: string;
          /** Events to send: types, or all of a group as in agent.*; absent or null: all. */
          event_types?: (('*' | 'conversation.*' | 'conversation.started' | 'conversation.ended' | 'conversation.transcript.*' | 'conversation.transcript.ready' | 'escalation.*' | 'escalation.requested' | 'escalation.accepted' | 'knowledge.*' | 'knowledge.gap.*' | 'knowledge.gap.detected' | 'knowledge.source.*' | 'knowledge.source.synced' | 'agent.*' | 'agent.published' | 'agent.rolled_back')[] | null);
          /** What the endpoint is for. */
          description?: string;
          /** Free key-value pairs of yours; kept and shown, never read. */
          metadata?: { [name: string]: string };
          /** Extra headers of each delivery. Sealed: reads answer their names. */
          headers?: { [name: string]: string };
          /** False: no deliveries are made. Default true. */
          enabled?: boolean;
          /** whsec_ and the base64 of 24 to 64 bytes; made when absent. Shown once. Must be whsec_ and the base64 of 24 to 64 bytes. */
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
          /** An `ETag` as it was answered, or `*`; what was changed since is refused with 412. */
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
          /** Address the events are sent to, https. Must be an http or https URL in ASCII, such as https://example.com/hook, without user and password. */
          url?: (string | null);
          /** Events to send: types, or all of a group as in agent.*; absent or null: all. */
          event_types?: (('*' | 'conversation.*' | 'conversation.started' | 'conversation.ended' | 'conversation.transcript.*' | 'conversation.transcript.ready' | 'escalation.*' | 'escalation.requested' | 'escalation.accepted' | 'knowledge.*' | 'knowledge.gap.*' | 'knowledge.gap.detected' | 'knowledge.source.*' | 'knowledge.source.synced' | 'agent.*' | 'agent.published' | 'agent.rolled_back')[] | null);
          /** What the endpoint is for. */
          description?: (string | null);
          /** Free key-value pairs of yours; kept and shown, never read. */
          metadata?: ({ [name: string]: (string | null) } | null);
          /** Sets single headers; null removes one, or all. */
          headers?: ({ [name: string]: (string | null) } | null);
          /** False: no deliveries are made. Default true. */
          enabled?: (boolean | null);
        };
        'application/merge-patch+json': {
          /** Address the events are sent to, https. Must be an http or https URL in ASCII, such as https://example.com/hook, without user and password. */
          url?: (string | null);
          /** Events to send: types, or all of a group as in agent.*; absent or null: all. */
          event_types?: (('*' | 'conversation.*' | 'conversation.started' | 'conversation.ended' | 'conversation.transcript.*' | 'conversation.transcript.ready' | 'escalation.*' | 'escalation.requested' | 'escalation.accepted' | 'knowledge.*' | 'knowledge.gap.*' | 'knowledge.gap.detected' | 'knowledge.source.*' | 'knowledge.source.synced' | 'agent.*' | 'agent.published' | 'agent.rolled_back')[] | null);
          /** What the endpoint is for. */
          description?: (string | null);
          /** Free key-value pairs of yours; kept and shown, never read. */
          metadata?: ({ [name: string]: (string | null) } | null);
          /** Sets single headers; null removes one, or all. */
          headers?: ({ [name: string]: (string | null) } | null);
          /** False: no deliveries are made. Default true. */
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
          /** An `ETag` as it was answered, or `*`; what was changed since is refused with 412. */
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
          /** Makes a repeat safe: for 24 h the same request is answered the same again, with `Idempotency-Replayed: true`. */
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
          /** Default: agent.published, or the first type that the endpoint is subscribed to. */
          type?: ('conversation.started' | 'conversation.ended' | 'conversation.transcript.ready' | 'escalation.requested' | 'escalation.accepted' | 'knowledge.gap.detected' | 'knowledge.source.synced' | 'agent.published' | 'agent.rolled_back');
          /** As events of the type carry it; default: a sample. */
          data?: { [name: string]: unknown };
          /** True: nothing is sent, only shown as it would be. */
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
    /** Give an endpoint another signing secret */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** Makes a repeat safe: for 24 h the same request is answered the same again, with `Idempotency-Replayed: true`. */
          'Idempotency-Key'?: string;
          /** An `ETag` as it was answered, or `*`; what was changed since is refused with 412. */
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
          /** How long both secrets are live before they swap, and again after. Default 86400. */
          overlap_sec?: number;
          /** True: the next secret signs from now on. */
          activate?: boolean;
          /** True: the next secret is dropped before it signs. */
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
    /** Follow events as they happen */
    get: {
      parameters: {
        query?: {
          /** Types and groups (`agent.*`), comma-separated; default: every type. */
          types?: string;
          conversation_id?: string;
          agent_id?: string;
          /** true: test events too; false, the default: without them. */
          test?: boolean;
          last_event_id?: string;
          /** true: also what changed, as `event: change`; default: events alone. */
          changes?: boolean;
        };
        header?: {
          /** The last `id` that was read: what came after it follows. */
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
    /** List events, newest first or as a log to follow */
    get: {
      parameters: {
        query?: {
          /** A type, a group (`agent.*`) or `*`. */
          type?: string;
          /** true: test events too; false, the default: without them. */
          test?: boolean;
          conversation_id?: string;
          agent_id?: string;
          /** Unix seconds, inclusive. */
          created_after?: number;
          /** Unix seconds, exclusive. */
          created_before?: number;
          order?: ('newest' | 'oldest');
          /** Items in a page. */
          limit?: number;
          /** `next_cursor` of the page before. */
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
            /** For `cursor`; null: the last page. */
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
    /** Why an event has not got to an endpoint */
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
          /** A type, a group (`agent.*`) or `*`. */
          event_type?: string;
          /** Unix seconds, inclusive. */
          created_after?: number;
          /** Unix seconds, exclusive. */
          created_before?: number;
          /** true: test events too; false, the default: without them. */
          test?: boolean;
          /** Items in a page. */
          limit?: number;
          /** `next_cursor` of the page before. */
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
            /** For `cursor`; null: the last page. */
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
    /** Figures of deliveries: outcomes and latency */
    get: {
      parameters: {
        query?: {
          /** Unix seconds, inclusive. Default: an hour before `to`. */
          from?: number;
          /** Unix seconds, exclusive. Default: now. */
          to?: number;
          endpoint_id?: string;
          /** Default: a 60th of the window; at most 500 buckets. */
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
          /** Items in a page. */
          limit?: number;
          /** `next_cursor` of the page before. */
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
            /** For `cursor`; null: the last page. */
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
          /** Items in a page. */
          limit?: number;
          /** `next_cursor` of the page before. */
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
            /** For `cursor`; null: the last page. */
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
    /** Deliver an event again */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** Makes a repeat safe: for 24 h the same request is answered the same again, with `Idempotency-Replayed: true`. */
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
          /** Default: each enabled one subscribed now. Must be an id like we_01jdn0wzave008001tbgfjpkbe. */
          endpoint_id?: string;
        };
      } };
      responses: {
        202: { headers: { [name: string]: unknown }; content: {
          'application/json': {
            event_id: string;
            delivery_ids: string[];
            /** Older deliveries of it to the same endpoints that still wait: they keep their schedule, and are delivered with the new one (`delivered_by`). */
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
    /** Deliver many events again */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** Makes a repeat safe: for 24 h the same request is answered the same again, with `Idempotency-Replayed: true`. */
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
          /** Unix seconds, inclusive; as long ago as events are kept: 30 days, or as set. */
          since: number;
          /** Unix seconds, exclusive. Default: now, the moment of the request. */
          until?: number;
          /** Default failed. */
          mode?: ('failed' | 'missing' | 'all' | 'retrying');
          /** Default: every type. */
          types?: ('*' | 'conversation.*' | 'conversation.started' | 'conversation.ended' | 'conversation.transcript.*' | 'conversation.transcript.ready' | 'escalation.*' | 'escalation.requested' | 'escalation.accepted' | 'knowledge.*' | 'knowledge.gap.*' | 'knowledge.gap.detected' | 'knowledge.source.*' | 'knowledge.source.synced' | 'agent.*' | 'agent.published' | 'agent.rolled_back')[];
          /** True: nothing is sent, only counted. */
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
          /** Items in a page. */
          limit?: number;
          /** `next_cursor` of the page before. */
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
            /** For `cursor`; null: the last page. */
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
    /** Read a job and how far it is */
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
    /** Attempt a delivery now */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** Makes a repeat safe: for 24 h the same request is answered the same again, with `Idempotency-Replayed: true`. */
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
    /** Digest of what an endpoint was sent in an hour */
    get: {
      parameters: {
        query: {
          /** Start of the hour in Unix seconds, a multiple of 3600; of the last 30 days, or as long as events are kept. */
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
    /** Compare what a receiver holds with what it was sent */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** Makes a repeat safe: for 24 h the same request is answered the same again, with `Idempotency-Replayed: true`. */
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
          /** Unix seconds, inclusive; as long ago as events are kept: 30 days, or as set. */
          since: number;
          /** Unix seconds, exclusive, at most 24 hours after `since`. Default: now. */
          until?: number;
          /** Ids of all events with `created` in this window that the receiver holds. */
          ids: string[];
          /** True: what is missing and not on its way is sent again. Needs the scope replay. */
          replay?: boolean;
          /** Of `missing` in a page. */
          limit?: number;
          /** `next_cursor` of the page before. */
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
          /** Makes a repeat safe: for 24 h the same request is answered the same again, with `Idempotency-Replayed: true`. */
          'Idempotency-Key'?: string;
        };
        path?: never;
        cookie?: never;
      };
      requestBody: { content: {
        'application/json': {
          /** Who talks. Must be an id like agt_01jdn0wzave008001tbgfjpkbe. */
          agent_id: string;
          /** Default: the one that is live. One that never was is for tests alone; an unknown one is 422 unknown_version. */
          agent_version?: number;
          /** To try the agent out: an ordinary conversation that makes no events and no knowledge gaps, is in no figure, and in lists only with `test=true`. */
          test?: boolean;
          /** How the user talks to it. */
          channel?: ('chat' | 'voice' | 'sms' | 'web_voice');
          /** Who the user is to you. */
          user_id?: string;
          /** What the agent may know of the user; `{{name}}` in its first message. */
          variables?: { [name: string]: unknown };
          /** Free key-value pairs of yours; kept and shown, never read. */
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
        409: Refused<('idempotency_in_progress' | 'not_published')>;
        413: Refused<'body_too_large'>;
        415: Refused<'unsupported_media_type'>;
        422: Refused<('invalid_body' | 'idempotency_key_reused' | 'unknown_version')>;
        429: Refused<'rate_limited'>;
        500: Refused<'internal'>;
        503: Refused<'unavailable'>;
      };
    };
    /** List conversations, newest first */
    get: {
      parameters: {
        query?: {
          status?: ('active' | 'escalated' | 'ended' | 'failed');
          agent_id?: string;
          agent_version?: number;
          channel?: ('chat' | 'voice' | 'sms' | 'web_voice');
          outcome?: ('resolved' | 'unresolved' | 'escalated' | 'abandoned' | 'voicemail' | 'failed' | 'unknown');
          user_id?: string;
          /** `metadata.KEY=VALUE`: those whose metadata has exactly that; of several pairs, all (10 at most). */
          [name: `metadata.${string}`]: string;
          call_id?: string;
          /** The number that its call came from, in E.164. */
          from?: string;
          /** The number that its call went to, in E.164. */
          to?: string;
          /** Unix seconds, inclusive. */
          created_after?: number;
          /** Unix seconds, exclusive. */
          created_before?: number;
          /** Unix seconds, inclusive. */
          ended_after?: number;
          /** Unix seconds, exclusive. */
          ended_before?: number;
          /** true: test conversations too; else they are left out. */
          test?: boolean;
          /** An id of a conversation, a call or an escalation; else words, each of which must occur, in any case, in what was said by people and agents, in `summary` or in `user_id`. A page looks through at most 5,000 conversations, and may hold fewer than `limit` though there are more. */
          q?: string;
          /** Items in a page. */
          limit?: number;
          /** `next_cursor` of the page before. */
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
            data: components['schemas']['Conversation'][];
            has_more: boolean;
            /** For `cursor`; null: the last page. */
            next_cursor: (string | null);
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
    /** Change user and metadata of a conversation */
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
          /** Who the user is to you; null: nobody. */
          user_id?: (string | null);
          /** Members to set, or with null to remove; null removes all. */
          metadata?: ({ [name: string]: (string | null) } | null);
        };
        'application/merge-patch+json': {
          /** Who the user is to you; null: nobody. */
          user_id?: (string | null);
          /** Members to set, or with null to remove; null removes all. */
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
          /** What becomes of its events that are not delivered yet: they are sent without the words, user_id and metadata, or canceled. */
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
    /** Say something to the agent */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** Makes a repeat safe: for 24 h the same request is answered the same again, with `Idempotency-Replayed: true`. */
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
          /** What is said. Must not consist of white space only. */
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
          /** Makes a repeat safe: for 24 h the same request is answered the same again, with `Idempotency-Replayed: true`. */
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
          /** What became of it; default: settled by rule. */
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
    /** Ask for a human */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** Makes a repeat safe: for 24 h the same request is answered the same again, with `Idempotency-Replayed: true`. */
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
          /** Shown to whoever takes over. */
          reason?: string;
          /** Who is asked; absent: the team of the agent. */
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
    /** Say how content the user is */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** Makes a repeat safe: for 24 h the same request is answered the same again, with `Idempotency-Replayed: true`. */
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
          /** 1 (bad) to 5 (good). */
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
    /** Make a link by which the user rates it */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** Makes a repeat safe: for 24 h the same request is answered the same again, with `Idempotency-Replayed: true`. */
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
          /** For how long it is good. */
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
          /** json, plain text, or WebVTT for players. */
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
    /** Follow a conversation live */
    get: {
      parameters: {
        query?: {
          /** Index of the last turn that is known; -1: none. */
          last_event_id?: number;
        };
        header?: {
          /** The last `id` that was read: what came after it follows. */
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
    /** Talk to an agent as OpenAI’s clients do */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** Makes a repeat safe: for 24 h the same request is answered the same again, with `Idempotency-Replayed: true`. */
          'Idempotency-Key'?: string;
        };
        path?: never;
        cookie?: never;
      };
      requestBody: { content: {
        'application/json': {
          /** Id of an agent, or of a version of it: `agt_…`, `agt_…@3`. */
          model: string;
          /** The talk so far, oldest first. Without a message of the user the agent speaks first. */
          messages: {
            /** Who said it. */
            role: ('system' | 'developer' | 'user' | 'assistant');
            /** What was said: a text, or a list of parts of the type text. */
            content?: (string | null | {
              type?: ('text' | 'refusal');
            }[]);
            /** Refused if it asks for something: the tools of an agent run here: leave it out. */
            tool_calls?: unknown;
            /** Refused if it asks for something: the tools of an agent run here: leave it out. */
            function_call?: unknown;
          }[];
          /** Answer in chunks, as server-sent events. */
          stream?: (boolean | null);
          /** `include_usage: true` adds the usage to a stream. */
          stream_options?: unknown;
          /** Refused if it asks for something: must be 1: an agent says one thing. */
          n?: unknown;
          /** Metadata of the conversation; `conversation_id` continues that one. Values other than text are stored as JSON. */
          metadata?: { [name: string]: unknown };
          /** Who the user is to you: `user_id` of the conversation. */
          user?: unknown;
          /** The same, where `user` is not given. */
          safety_identifier?: unknown;
          /** Refused if it asks for something: the tools of an agent are declared with it and run here: leave this out. */
          tools?: unknown;
          /** Refused if it asks for something: the tools of an agent are declared with it and run here: leave this out. */
          tool_choice?: unknown;
          /** Refused if it asks for something: the tools of an agent are declared with it and run here: leave this out. */
          functions?: unknown;
          /** Refused if it asks for something: the tools of an agent are declared with it and run here: leave this out. */
          function_call?: unknown;
          /** Refused if it asks for something: an agent answers in text here. */
          audio?: unknown;
          /** Refused with anything other than `text`. */
          modalities?: unknown;
          /** Refused with a type other than `text`. */
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
    /** List the agents that can be talked with, as models */
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
          /** Id of an agent, or of a version of it that was live. */
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
    /** List escalations, newest first */
    get: {
      parameters: {
        query?: {
          status?: ('requested' | 'accepted' | 'declined' | 'timed_out' | 'completed' | 'canceled');
          conversation_id?: string;
          agent_id?: string;
          team?: string;
          /** The `id` of who accepted it. */
          accepted_by?: string;
          /** When it was asked for; Unix seconds, inclusive. */
          created_after?: number;
          /** Unix seconds, exclusive. */
          created_before?: number;
          /** Unix seconds, inclusive. */
          finished_after?: number;
          /** Unix seconds, exclusive. */
          finished_before?: number;
          /** true: test conversations too; else they are left out. */
          test?: boolean;
          /** Items in a page. */
          limit?: number;
          /** `next_cursor` of the page before. */
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
            /** For `cursor`; null: the last page. */
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
    /** Take over a conversation */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** Makes a repeat safe: for 24 h the same request is answered the same again, with `Idempotency-Replayed: true`. */
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
          /** Who takes over. */
          accepted_by: {
            /** Who it is to you. */
            id: string;
            /** What the user reads. It must be one line without control characters. */
            name: string;
          };
          /** Whoever is not heard of for so long has gone, and somebody else is asked for. Absent: nobody waits for that. */
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
          /** Makes a repeat safe: for 24 h the same request is answered the same again, with `Idempotency-Replayed: true`. */
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
    /** Hand back to the agent */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** Makes a repeat safe: for 24 h the same request is answered the same again, with `Idempotency-Replayed: true`. */
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
          /** The `id` of who does it: 409 `already_accepted` if that is not who accepted. */
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
    /** Give an escalation back for somebody else */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** Makes a repeat safe: for 24 h the same request is answered the same again, with `Idempotency-Replayed: true`. */
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
          /** The `id` of who does it: 409 `already_accepted` if that is not who accepted. */
          by?: string;
          /** Who is asked instead; absent: the same team. */
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
    /** Say that whoever accepted is still there */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** Makes a repeat safe: for 24 h the same request is answered the same again, with `Idempotency-Replayed: true`. */
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
          /** The `id` of who does it: 409 `already_accepted` if that is not who accepted. */
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
  '/v1/escalations/{id}/messages': Only<{
    /** Speak to the user as the human who took over */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** Makes a repeat safe: for 24 h the same request is answered the same again, with `Idempotency-Replayed: true`. */
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
          /** What is said. Must not consist of white space only. */
          text: string;
          /** The `id` of who does it: 409 `already_accepted` if that is not who accepted. */
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
          /** Items in a page. */
          limit?: number;
          /** `next_cursor` of the page before. */
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
            /** For `cursor`; null: the last page. */
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
          /** Makes a repeat safe: for 24 h the same request is answered the same again, with `Idempotency-Replayed: true`. */
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
          /** E.164; required when inbound. Must be a phone number as +442071838750: a plus sign and 2 to 15 digits. */
          from?: string;
          /** E.164; required when outbound. Must be a phone number as +442071838750: a plus sign and 2 to 15 digits. */
          to?: string;
          /** Name of the TelephonyProvider that carries the call, or `simulated`. Must be a DNS label: lower-case letters, digits and hyphens, at most 63, no hyphen at either end. */
          provider?: string;
          /** Your id of the user. */
          user_id?: string;
          /** What the agent may know of the user; `{{name}}` in its first message. */
          variables?: { [name: string]: unknown };
          /** Free key-value pairs of yours; kept and shown, never read. */
          metadata?: { [name: string]: string };
          /** How the other end behaves if the provider is `simulated`; default: it answers and is silent. */
          simulated?: {
            /** Whether a person or a voicemail picks up, or nobody. */
            answer?: ('answered' | 'busy' | 'no_answer' | 'failed' | 'voicemail');
            /** Milliseconds until somebody picks up. */
            ring_ms?: number;
            /** Turns of the user, in order. */
            turns?: {
              /** Words of the user; not only white space. Must not consist of white space only. */
              text: string;
              /** Milliseconds since the end of the previous turn. */
              after_ms?: number;
            }[];
            /** Whether the user hangs up after the last turn; default: true if there are turns. Otherwise the line stays open until the call is ended or the silence lasts too long. */
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
          /** Makes a repeat safe: for 24 h the same request is answered the same again, with `Idempotency-Replayed: true`. */
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
          /** Makes a repeat safe: for 24 h the same request is answered the same again, with `Idempotency-Replayed: true`. */
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
          /** E.164. Must be a phone number as +442071838750: a plus sign and 7 to 15 digits. */
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
    /** Press keys */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** Makes a repeat safe: for 24 h the same request is answered the same again, with `Idempotency-Replayed: true`. */
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
          /** 0-9, *, #, A-D, and `w` for a pause of half a second. Must contain only telephone keys: 0-9, *, #, A-D, and w for a pause of half a second. */
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
    /** Receive a status callback of Twilio */
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
    /** Receive a status callback of Telnyx */
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
    /** Receive a status callback of Plivo */
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
  '/v1/knowledge/sources': Only<{
    /** List knowledge sources, newest first */
    get: {
      parameters: {
        query?: {
          type?: ('website' | 'file' | 'text' | 'integration');
          status?: ('pending' | 'syncing' | 'ready' | 'refreshing' | 'error');
          name?: string;
          /** Items in a page. */
          limit?: number;
          /** `next_cursor` of the page before. */
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
            /** For `cursor`; null: the last page. */
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
          /** Makes a repeat safe: for 24 h the same request is answered the same again, with `Idempotency-Replayed: true`. */
          'Idempotency-Key'?: string;
        };
        path?: never;
        cookie?: never;
      };
      requestBody: { content: {
        'application/json': {
          /** DNS label, unique in the namespace; made when absent. Must be a DNS label: lower-case letters, digits and hyphens, at most 63, no hyphen at either end. */
          name?: string;
          /** Where the knowledge comes from; a file is uploaded by the REST API. */
          type: ('website' | 'file' | 'text' | 'integration');
          /** The website to read; for type website. */
          website?: {
            /** Page to start from. Must be an http or https URL in ASCII, such as https://example.com/hook, without user and password. */
            url: string;
            /** Links followed from the first page; 0: that page alone. Default 5. */
            max_depth?: number;
            /** Most pages kept. Default 500. */
            max_pages?: number;
            /** Patterns of paths to keep, as in /help/*. */
            include?: string[];
            /** Patterns of paths to leave out. */
            exclude?: string[];
            /** Milliseconds from one request to the next; 0: several at once. Default 500. */
            delay_ms?: number;
          };
          /** The knowledge itself, plain or Markdown; for type text. */
          text?: string;
          /** The system to read from; for type integration. */
          integration?: {
            /** Address of the feed that documents are read from. Must be an http or https URL in ASCII, such as https://example.com/hook, without user and password. */
            url: string;
            /** Extra headers of the request. */
            headers?: { [name: string]: string };
            /** Secret sent as bearer token; it must carry the label parley.dev/allow: "true". */
            secret_ref?: {
              /** Name of the Secret, in the same namespace. Must be a DNS name: lower-case letters, digits, hyphens and dots, a letter or digit at both ends. */
              name: string;
              /** Key inside the Secret. Must be letters, digits, dots, hyphens and underscores. */
              key: string;
            };
            /** Secret that requests are signed with, as events are; it must carry the label parley.dev/allow: "true". */
            signing_secret_ref?: {
              /** Name of the Secret, in the same namespace. Must be a DNS name: lower-case letters, digits, hyphens and dots, a letter or digit at both ends. */
              name: string;
              /** Key inside the Secret. Must be letters, digits, dots, hyphens and underscores. */
              key: string;
            };
          };
          /** When to read again, as cron has it; for types website and integration. Must be @hourly, @daily, @weekly, @monthly or the five fields of cron, such as 0 3 * * *. */
          schedule?: string;
          /** What its passages are embedded with; absent: the default provider, where that embeds. */
          embeddings?: {
            /** ModelProvider of the same namespace, or default. Must be a DNS label: lower-case letters, digits and hyphens, at most 63, no hyphen at either end. */
            provider: string;
            /** Its embedding model; absent: the provider's embeddings.defaultModel. */
            model?: string;
          };
          /** Key-value pairs of yours, by which agents may choose their sources. */
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
          /** An `ETag` as it was answered, or `*`; what was changed since is refused with 412. */
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
          /** The website to read; for type website. */
          website?: ({
            /** Page to start from. Must be an http or https URL in ASCII, such as https://example.com/hook, without user and password. */
            url?: (string | null);
            /** Links followed from the first page; 0: that page alone. Default 5. */
            max_depth?: (number | null);
            /** Most pages kept. Default 500. */
            max_pages?: (number | null);
            /** Patterns of paths to keep, as in /help/*. */
            include?: (string[] | null);
            /** Patterns of paths to leave out. */
            exclude?: (string[] | null);
            /** Milliseconds from one request to the next; 0: several at once. Default 500. */
            delay_ms?: (number | null);
          } | null);
          /** The knowledge itself, plain or Markdown; for type text. */
          text?: (string | null);
          /** The system to read from; for type integration. */
          integration?: ({
            /** Address of the feed that documents are read from. Must be an http or https URL in ASCII, such as https://example.com/hook, without user and password. */
            url?: (string | null);
            /** Extra headers of the request. */
            headers?: ({ [name: string]: (string | null) } | null);
            /** Secret sent as bearer token; it must carry the label parley.dev/allow: "true". */
            secret_ref?: ({
              /** Name of the Secret, in the same namespace. Must be a DNS name: lower-case letters, digits, hyphens and dots, a letter or digit at both ends. */
              name?: (string | null);
              /** Key inside the Secret. Must be letters, digits, dots, hyphens and underscores. */
              key?: (string | null);
            } | null);
            /** Secret that requests are signed with, as events are; it must carry the label parley.dev/allow: "true". */
            signing_secret_ref?: ({
              /** Name of the Secret, in the same namespace. Must be a DNS name: lower-case letters, digits, hyphens and dots, a letter or digit at both ends. */
              name?: (string | null);
              /** Key inside the Secret. Must be letters, digits, dots, hyphens and underscores. */
              key?: (string | null);
            } | null);
          } | null);
          /** When to read again, as cron has it; for types website and integration. Must be @hourly, @daily, @weekly, @monthly or the five fields of cron, such as 0 3 * * *. */
          schedule?: (string | null);
          /** What its passages are embedded with; absent: the default provider, where that embeds. */
          embeddings?: ({
            /** ModelProvider of the same namespace, or default. Must be a DNS label: lower-case letters, digits and hyphens, at most 63, no hyphen at either end. */
            provider?: (string | null);
            /** Its embedding model; absent: the provider's embeddings.defaultModel. */
            model?: (string | null);
          } | null);
          /** Key-value pairs of yours, by which agents may choose their sources. */
          metadata?: ({ [name: string]: (string | null) } | null);
          name?: unknown;
        };
        'application/merge-patch+json': {
          type?: unknown;
          /** The website to read; for type website. */
          website?: ({
            /** Page to start from. Must be an http or https URL in ASCII, such as https://example.com/hook, without user and password. */
            url?: (string | null);
            /** Links followed from the first page; 0: that page alone. Default 5. */
            max_depth?: (number | null);
            /** Most pages kept. Default 500. */
            max_pages?: (number | null);
            /** Patterns of paths to keep, as in /help/*. */
            include?: (string[] | null);
            /** Patterns of paths to leave out. */
            exclude?: (string[] | null);
            /** Milliseconds from one request to the next; 0: several at once. Default 500. */
            delay_ms?: (number | null);
          } | null);
          /** The knowledge itself, plain or Markdown; for type text. */
          text?: (string | null);
          /** The system to read from; for type integration. */
          integration?: ({
            /** Address of the feed that documents are read from. Must be an http or https URL in ASCII, such as https://example.com/hook, without user and password. */
            url?: (string | null);
            /** Extra headers of the request. */
            headers?: ({ [name: string]: (string | null) } | null);
            /** Secret sent as bearer token; it must carry the label parley.dev/allow: "true". */
            secret_ref?: ({
              /** Name of the Secret, in the same namespace. Must be a DNS name: lower-case letters, digits, hyphens and dots, a letter or digit at both ends. */
              name?: (string | null);
              /** Key inside the Secret. Must be letters, digits, dots, hyphens and underscores. */
              key?: (string | null);
            } | null);
            /** Secret that requests are signed with, as events are; it must carry the label parley.dev/allow: "true". */
            signing_secret_ref?: ({
              /** Name of the Secret, in the same namespace. Must be a DNS name: lower-case letters, digits, hyphens and dots, a letter or digit at both ends. */
              name?: (string | null);
              /** Key inside the Secret. Must be letters, digits, dots, hyphens and underscores. */
              key?: (string | null);
            } | null);
          } | null);
          /** When to read again, as cron has it; for types website and integration. Must be @hourly, @daily, @weekly, @monthly or the five fields of cron, such as 0 3 * * *. */
          schedule?: (string | null);
          /** What its passages are embedded with; absent: the default provider, where that embeds. */
          embeddings?: ({
            /** ModelProvider of the same namespace, or default. Must be a DNS label: lower-case letters, digits and hyphens, at most 63, no hyphen at either end. */
            provider?: (string | null);
            /** Its embedding model; absent: the provider's embeddings.defaultModel. */
            model?: (string | null);
          } | null);
          /** Key-value pairs of yours, by which agents may choose their sources. */
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
          /** An `ETag` as it was answered, or `*`; what was changed since is refused with 412. */
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
          /** What the document is called. */
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
          /** Items in a page. */
          limit?: number;
          /** `next_cursor` of the page before. */
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
            /** For `cursor`; null: the last page. */
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
    /** Read a source again */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** Makes a repeat safe: for 24 h the same request is answered the same again, with `Idempotency-Replayed: true`. */
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
          /** Items in a page. */
          limit?: number;
          /** `next_cursor` of the page before. */
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
            /** For `cursor`; null: the last page. */
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
    /** Read a sync and how far it is */
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
          /** Makes a repeat safe: for 24 h the same request is answered the same again, with `Idempotency-Replayed: true`. */
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
          /** A question, as a user would ask it. */
          q: string;
          agent_id?: string;
          /** Most passages. */
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
            /** For `cursor`; null: the last page. */
            next_cursor: (string | null);
            /** Whether passages were found by their meaning too: of some sources only (`partly`), not since the provider did not answer in time (`unavailable`), not since nothing is embedded (`none`). */
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
    /** List questions that had no answer */
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
          /** Asked since then, first or again: Unix seconds, inclusive. */
          asked_after?: number;
          /** Asked so often at least. */
          count_min?: number;
          /** A part of the question, in any case. */
          q?: string;
          /** `created`: newest first; `count`: asked most often first; `last_asked_at`: last first. */
          sort?: ('created' | 'count' | 'last_asked_at');
          /** Items in a page. */
          limit?: number;
          /** `next_cursor` of the page before. */
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
            /** For `cursor`; null: the last page. */
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
          /** What the agent is to reply from now on; null withdraws what it replied so far. */
          answer?: (string | null);
        };
        'application/merge-patch+json': {
          /** What the agent is to reply from now on; null withdraws what it replied so far. */
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
    /** Close a gap, with an answer or without */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** Makes a repeat safe: for 24 h the same request is answered the same again, with `Idempotency-Replayed: true`. */
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
          /** What the agent is to reply from now on; absent: there will be no answer. */
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
    /** Ask the questions of a gap again */
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
  '/v1/model_providers': Only<{
    /** List model providers, newest first */
    get: {
      parameters: {
        query?: {
          name?: string;
          managed_by?: ('api' | 'kubernetes' | 'file');
          ready?: boolean;
          /** Items in a page. */
          limit?: number;
          /** `next_cursor` of the page before. */
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
            /** For `cursor`; null: the last page. */
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
          /** Makes a repeat safe: for 24 h the same request is answered the same again, with `Idempotency-Replayed: true`. */
          'Idempotency-Key'?: string;
        };
        path?: never;
        cookie?: never;
      };
      requestBody: { content: {
        'application/json': {
          /** What agents name it by: a DNS label, unique in the namespace, not `default`. Must be a DNS label: lower-case letters, digits and hyphens, at most 63, no hyphen at either end. */
          name?: string;
          /** Base of an OpenAI-compatible API, as in https://api.example.com/v1. Must be an http or https URL in ASCII, such as https://api.example.com/v1, without user, password, query and fragment. */
          base_url: string;
          /** Secret with the key; it must carry the label parley.dev/allow: "true". Absent: none is sent. */
          api_key_secret_ref?: {
            /** Name of the Secret, in the same namespace. Must be a DNS name: lower-case letters, digits, hyphens and dots, a letter or digit at both ends. */
            name: string;
            /** Key inside the Secret. Must be letters, digits, dots, hyphens and underscores. */
            key: string;
          };
          /** Header the key is sent in: authorization (as a bearer token; when absent), api-key (Azure) or x-api-key. */
          api_key_header?: ('authorization' | 'api-key' | 'x-api-key');
          /** Sent as OpenAI-Organization, where the provider knows that. Must be visible ASCII without spaces. */
          organization?: string;
          /** Sent as OpenAI-Project, where the provider knows that. Must be visible ASCII without spaces. */
          project?: string;
          /** Extra headers of each request, in clear: nothing secret belongs there. */
          headers?: { [name: string]: string };
          /** Query parameters of each request, in clear, such as Azure's api-version. */
          query?: { [name: string]: string };
          /** Of chat models: which, how long, at what price. */
          chat?: {
            /** Model of agents that name none, as the provider calls it. */
            default_model?: string;
            /** Models that agents may ask for; absent: any. */
            models?: string[];
            /** When an answer is waited for no longer. */
            timeouts?: {
              /** Longest wait for the first part of an answer; 15000 when absent. */
              first_token_ms?: number;
              /** Longest wait between two parts; 15000 when absent. */
              between_tokens_ms?: number;
              /** Longest time of one answer; 120000 when absent. */
              total_ms?: number;
            };
            /** What tokens cost, for all its models; the cost of a turn comes from it. */
            pricing?: {
              /** ISO 4217 code, such as USD. Must be a currency of three capitals, such as USD. */
              currency: string;
              /** Price of a million tokens of prompts. */
              input_per_million_tokens: number;
              /** Price of a million tokens of answers. */
              output_per_million_tokens: number;
              /** Of prompt tokens that the provider had cached; absent: as the others. */
              cached_input_per_million_tokens?: number;
            };
          };
          /** Of embedding models, which knowledge is also found by. */
          embeddings?: {
            /** Embedding model of knowledge that names none. */
            default_model: string;
            /** Numbers of a vector to ask for, where the model has a choice; absent: the model's own. */
            dimensions?: number;
            /** Most texts of one request; 64 when absent. */
            batch_size?: number;
          };
          /** Of models that speak, by its /audio/speech. */
          speech?: {
            /** Model that speaks for agents that name none. */
            default_model: string;
            /** Voice of agents that name none, as the provider calls it. */
            default_voice: string;
            /** Models that agents may speak with; absent: any. */
            models?: string[];
          };
          /** Of models that write down what is said, by its /audio/transcriptions. */
          transcription?: {
            /** Model that hears for agents that name none. */
            default_model: string;
            /** Models that agents may hear with; absent: any. */
            models?: string[];
          };
          /** How much is asked of it at once. */
          limits?: {
            /** Most requests at once of each API process; absent: no limit. */
            max_concurrent_requests?: number;
          };
          /** Free key-value pairs of yours; kept and shown, never read. */
          metadata?: { [name: string]: string };
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
          /** An `ETag` as it was answered, or `*`; what was changed since is refused with 412. */
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
          /** Base of an OpenAI-compatible API, as in https://api.example.com/v1. Must be an http or https URL in ASCII, such as https://api.example.com/v1, without user, password, query and fragment. */
          base_url?: (string | null);
          /** Secret with the key; it must carry the label parley.dev/allow: "true". Absent: none is sent. */
          api_key_secret_ref?: ({
            /** Name of the Secret, in the same namespace. Must be a DNS name: lower-case letters, digits, hyphens and dots, a letter or digit at both ends. */
            name?: (string | null);
            /** Key inside the Secret. Must be letters, digits, dots, hyphens and underscores. */
            key?: (string | null);
          } | null);
          /** Header the key is sent in: authorization (as a bearer token; when absent), api-key (Azure) or x-api-key. */
          api_key_header?: ('authorization' | 'api-key' | 'x-api-key' | null);
          /** Sent as OpenAI-Organization, where the provider knows that. Must be visible ASCII without spaces. */
          organization?: (string | null);
          /** Sent as OpenAI-Project, where the provider knows that. Must be visible ASCII without spaces. */
          project?: (string | null);
          /** Extra headers of each request, in clear: nothing secret belongs there. */
          headers?: ({ [name: string]: (string | null) } | null);
          /** Query parameters of each request, in clear, such as Azure's api-version. */
          query?: ({ [name: string]: (string | null) } | null);
          /** Of chat models: which, how long, at what price. */
          chat?: ({
            /** Model of agents that name none, as the provider calls it. */
            default_model?: (string | null);
            /** Models that agents may ask for; absent: any. */
            models?: (string[] | null);
            /** When an answer is waited for no longer. */
            timeouts?: ({
              /** Longest wait for the first part of an answer; 15000 when absent. */
              first_token_ms?: (number | null);
              /** Longest wait between two parts; 15000 when absent. */
              between_tokens_ms?: (number | null);
              /** Longest time of one answer; 120000 when absent. */
              total_ms?: (number | null);
            } | null);
            /** What tokens cost, for all its models; the cost of a turn comes from it. */
            pricing?: ({
              /** ISO 4217 code, such as USD. Must be a currency of three capitals, such as USD. */
              currency?: (string | null);
              /** Price of a million tokens of prompts. */
              input_per_million_tokens?: (number | null);
              /** Price of a million tokens of answers. */
              output_per_million_tokens?: (number | null);
              /** Of prompt tokens that the provider had cached; absent: as the others. */
              cached_input_per_million_tokens?: (number | null);
            } | null);
          } | null);
          /** Of embedding models, which knowledge is also found by. */
          embeddings?: ({
            /** Embedding model of knowledge that names none. */
            default_model?: (string | null);
            /** Numbers of a vector to ask for, where the model has a choice; absent: the model's own. */
            dimensions?: (number | null);
            /** Most texts of one request; 64 when absent. */
            batch_size?: (number | null);
          } | null);
          /** Of models that speak, by its /audio/speech. */
          speech?: ({
            /** Model that speaks for agents that name none. */
            default_model?: (string | null);
            /** Voice of agents that name none, as the provider calls it. */
            default_voice?: (string | null);
            /** Models that agents may speak with; absent: any. */
            models?: (string[] | null);
          } | null);
          /** Of models that write down what is said, by its /audio/transcriptions. */
          transcription?: ({
            /** Model that hears for agents that name none. */
            default_model?: (string | null);
            /** Models that agents may hear with; absent: any. */
            models?: (string[] | null);
          } | null);
          /** How much is asked of it at once. */
          limits?: ({
            /** Most requests at once of each API process; absent: no limit. */
            max_concurrent_requests?: (number | null);
          } | null);
          /** Free key-value pairs of yours; kept and shown, never read. */
          metadata?: ({ [name: string]: (string | null) } | null);
          name?: unknown;
        };
        'application/merge-patch+json': {
          /** Base of an OpenAI-compatible API, as in https://api.example.com/v1. Must be an http or https URL in ASCII, such as https://api.example.com/v1, without user, password, query and fragment. */
          base_url?: (string | null);
          /** Secret with the key; it must carry the label parley.dev/allow: "true". Absent: none is sent. */
          api_key_secret_ref?: ({
            /** Name of the Secret, in the same namespace. Must be a DNS name: lower-case letters, digits, hyphens and dots, a letter or digit at both ends. */
            name?: (string | null);
            /** Key inside the Secret. Must be letters, digits, dots, hyphens and underscores. */
            key?: (string | null);
          } | null);
          /** Header the key is sent in: authorization (as a bearer token; when absent), api-key (Azure) or x-api-key. */
          api_key_header?: ('authorization' | 'api-key' | 'x-api-key' | null);
          /** Sent as OpenAI-Organization, where the provider knows that. Must be visible ASCII without spaces. */
          organization?: (string | null);
          /** Sent as OpenAI-Project, where the provider knows that. Must be visible ASCII without spaces. */
          project?: (string | null);
          /** Extra headers of each request, in clear: nothing secret belongs there. */
          headers?: ({ [name: string]: (string | null) } | null);
          /** Query parameters of each request, in clear, such as Azure's api-version. */
          query?: ({ [name: string]: (string | null) } | null);
          /** Of chat models: which, how long, at what price. */
          chat?: ({
            /** Model of agents that name none, as the provider calls it. */
            default_model?: (string | null);
            /** Models that agents may ask for; absent: any. */
            models?: (string[] | null);
            /** When an answer is waited for no longer. */
            timeouts?: ({
              /** Longest wait for the first part of an answer; 15000 when absent. */
              first_token_ms?: (number | null);
              /** Longest wait between two parts; 15000 when absent. */
              between_tokens_ms?: (number | null);
              /** Longest time of one answer; 120000 when absent. */
              total_ms?: (number | null);
            } | null);
            /** What tokens cost, for all its models; the cost of a turn comes from it. */
            pricing?: ({
              /** ISO 4217 code, such as USD. Must be a currency of three capitals, such as USD. */
              currency?: (string | null);
              /** Price of a million tokens of prompts. */
              input_per_million_tokens?: (number | null);
              /** Price of a million tokens of answers. */
              output_per_million_tokens?: (number | null);
              /** Of prompt tokens that the provider had cached; absent: as the others. */
              cached_input_per_million_tokens?: (number | null);
            } | null);
          } | null);
          /** Of embedding models, which knowledge is also found by. */
          embeddings?: ({
            /** Embedding model of knowledge that names none. */
            default_model?: (string | null);
            /** Numbers of a vector to ask for, where the model has a choice; absent: the model's own. */
            dimensions?: (number | null);
            /** Most texts of one request; 64 when absent. */
            batch_size?: (number | null);
          } | null);
          /** Of models that speak, by its /audio/speech. */
          speech?: ({
            /** Model that speaks for agents that name none. */
            default_model?: (string | null);
            /** Voice of agents that name none, as the provider calls it. */
            default_voice?: (string | null);
            /** Models that agents may speak with; absent: any. */
            models?: (string[] | null);
          } | null);
          /** Of models that write down what is said, by its /audio/transcriptions. */
          transcription?: ({
            /** Model that hears for agents that name none. */
            default_model?: (string | null);
            /** Models that agents may hear with; absent: any. */
            models?: (string[] | null);
          } | null);
          /** How much is asked of it at once. */
          limits?: ({
            /** Most requests at once of each API process; absent: no limit. */
            max_concurrent_requests?: (number | null);
          } | null);
          /** Free key-value pairs of yours; kept and shown, never read. */
          metadata?: ({ [name: string]: (string | null) } | null);
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
          /** An `ETag` as it was answered, or `*`; what was changed since is refused with 412. */
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
          /** Items in a page. */
          limit?: number;
          /** `next_cursor` of the page before. */
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
            /** For `cursor`; null: the last page. */
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
          /** Makes a repeat safe: for 24 h the same request is answered the same again, with `Idempotency-Replayed: true`. */
          'Idempotency-Key'?: string;
        };
        path?: never;
        cookie?: never;
      };
      requestBody: { content: {
        'application/json': {
          /** Name by which calls refer to it: a DNS label, unique in the namespace, not `simulated`. Must be a DNS label: lower-case letters, digits and hyphens, at most 63, no hyphen at either end. */
          name?: string;
          /** The carrier's API; twilio also fits carriers with a compatible API. */
          type: ('twilio' | 'telnyx' | 'plivo');
          /** Id of the account at the carrier; for Twilio AC…, for Telnyx the id of the user, for Plivo the Auth ID. Must be an account id of letters, digits, hyphens and underscores. */
          account_id: string;
          /** Secret with the token for the carrier's API; for Twilio the auth token, which also signs the carrier's requests, for Telnyx an API key, for Plivo the Auth Token, which also signs its requests. It must carry the label parley.dev/allow: "true". */
          auth_token_secret_ref: {
            /** Name of the Secret, in the same namespace. Must be a DNS name: lower-case letters, digits, hyphens and dots, a letter or digit at both ends. */
            name: string;
            /** Key inside the Secret. Must be letters, digits, dots, hyphens and underscores. */
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
            /** In E.164, such as +442071838750. Must be a phone number as +442071838750: a plus sign and 7 to 15 digits. */
            number: string;
            /** Agent of the same namespace that answers it. Must be a DNS label: lower-case letters, digits and hyphens, at most 63, no hyphen at either end. */
            agent: string;
            /** Version of that agent; default: the version that is live when a call comes in. */
            version?: number;
            /** Hours in which the number is answered; default: always. Outside them, the caller hears closedMessage, or that of inbound. */
            hours?: {
              /** IANA name of the time zone, such as Europe/Berlin. Must be a name of the IANA time zone database. */
              time_zone: string;
              /** When people are there, on every such day. */
              open: {
                /** Days of the week. */
                days: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[];
                /** First minute, as 09:00. Must be a time from 00:00 to 24:00, such as 09:30. */
                from: string;
                /** Until then, as 17:30; 24:00 is the end of the day. Must be a time from 00:00 to 24:00, such as 09:30. */
                to: string;
              }[];
              /** Dates on which nobody is there. */
              closed_on?: string[];
              /** Said when nobody is there; {{opens}} becomes when somebody is. */
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
          /** Limit of inbound calls, and the texts that other callers hear. */
          inbound?: {
            /** Maximum number of concurrent inbound calls; default 100. */
            max_concurrent_calls?: number;
            /** Text spoken to callers beyond that maximum; default: they hear the busy tone. */
            busy_message?: string;
            /** Text spoken to a caller if no agent can answer. */
            closed_message?: string;
          };
          /** Free key-value pairs of yours; kept and shown, never read. */
          metadata?: { [name: string]: string };
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
          /** An `ETag` as it was answered, or `*`; what was changed since is refused with 412. */
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
            /** Key inside the Secret. Must be letters, digits, dots, hyphens and underscores. */
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
            /** In E.164, such as +442071838750. Must be a phone number as +442071838750: a plus sign and 7 to 15 digits. */
            number: string;
            /** Agent of the same namespace that answers it. Must be a DNS label: lower-case letters, digits and hyphens, at most 63, no hyphen at either end. */
            agent: string;
            /** Version of that agent; default: the version that is live when a call comes in. */
            version?: number;
            /** Hours in which the number is answered; default: always. Outside them, the caller hears closedMessage, or that of inbound. */
            hours?: {
              /** IANA name of the time zone, such as Europe/Berlin. Must be a name of the IANA time zone database. */
              time_zone: string;
              /** When people are there, on every such day. */
              open: {
                /** Days of the week. */
                days: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[];
                /** First minute, as 09:00. Must be a time from 00:00 to 24:00, such as 09:30. */
                from: string;
                /** Until then, as 17:30; 24:00 is the end of the day. Must be a time from 00:00 to 24:00, such as 09:30. */
                to: string;
              }[];
              /** Dates on which nobody is there. */
              closed_on?: string[];
              /** Said when nobody is there; {{opens}} becomes when somebody is. */
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
          /** Limit of inbound calls, and the texts that other callers hear. */
          inbound?: ({
            /** Maximum number of concurrent inbound calls; default 100. */
            max_concurrent_calls?: (number | null);
            /** Text spoken to callers beyond that maximum; default: they hear the busy tone. */
            busy_message?: (string | null);
            /** Text spoken to a caller if no agent can answer. */
            closed_message?: (string | null);
          } | null);
          /** Free key-value pairs of yours; kept and shown, never read. */
          metadata?: ({ [name: string]: (string | null) } | null);
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
            /** Key inside the Secret. Must be letters, digits, dots, hyphens and underscores. */
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
            /** In E.164, such as +442071838750. Must be a phone number as +442071838750: a plus sign and 7 to 15 digits. */
            number: string;
            /** Agent of the same namespace that answers it. Must be a DNS label: lower-case letters, digits and hyphens, at most 63, no hyphen at either end. */
            agent: string;
            /** Version of that agent; default: the version that is live when a call comes in. */
            version?: number;
            /** Hours in which the number is answered; default: always. Outside them, the caller hears closedMessage, or that of inbound. */
            hours?: {
              /** IANA name of the time zone, such as Europe/Berlin. Must be a name of the IANA time zone database. */
              time_zone: string;
              /** When people are there, on every such day. */
              open: {
                /** Days of the week. */
                days: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[];
                /** First minute, as 09:00. Must be a time from 00:00 to 24:00, such as 09:30. */
                from: string;
                /** Until then, as 17:30; 24:00 is the end of the day. Must be a time from 00:00 to 24:00, such as 09:30. */
                to: string;
              }[];
              /** Dates on which nobody is there. */
              closed_on?: string[];
              /** Said when nobody is there; {{opens}} becomes when somebody is. */
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
          /** Limit of inbound calls, and the texts that other callers hear. */
          inbound?: ({
            /** Maximum number of concurrent inbound calls; default 100. */
            max_concurrent_calls?: (number | null);
            /** Text spoken to callers beyond that maximum; default: they hear the busy tone. */
            busy_message?: (string | null);
            /** Text spoken to a caller if no agent can answer. */
            closed_message?: (string | null);
          } | null);
          /** Free key-value pairs of yours; kept and shown, never read. */
          metadata?: ({ [name: string]: (string | null) } | null);
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
          /** An `ETag` as it was answered, or `*`; what was changed since is refused with 412. */
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
          /** Makes a repeat safe: for 24 h the same request is answered the same again, with `Idempotency-Replayed: true`. */
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
          /** For trying out the agent: not counted, and emits no events. */
          test?: boolean;
          /** Your id of the visitor. */
          user_id?: string;
          /** What the agent may know of the user; `{{name}}` in its first message. */
          variables?: { [name: string]: unknown };
          /** Free key-value pairs of yours; kept and shown, never read. */
          metadata?: { [name: string]: string };
          /** Origin of the pages that may use the token; default: any. Must be an origin as browsers send it, such as https://shop.example.com or capacitor://localhost: http for localhost and 127.0.0.1 only, a host, a port if it has one, no path. */
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
        409: Refused<('idempotency_in_progress' | 'not_published')>;
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
          /** Items in a page. */
          limit?: number;
          /** `next_cursor` of the page before. */
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
            /** For `cursor`; null: the last page. */
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
          /** Makes a repeat safe: for 24 h the same request is answered the same again, with `Idempotency-Replayed: true`. */
          'Idempotency-Key'?: string;
        };
        path?: never;
        cookie?: never;
      };
      requestBody: { content: {
        'application/json': {
          /** For people, to know it again: letters, digits and signs with single spaces between. */
          name: string;
          /** What it may do. */
          scopes: ('read' | 'write' | 'publish' | 'replay' | 'keys')[];
          /** Unix seconds, in the future: when it ends. Default: it does not. */
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
          /** Makes a repeat safe: for 24 h the same request is answered the same again, with `Idempotency-Replayed: true`. */
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
          /** How long the old key goes on working; default 86400, a day. */
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
          /** parley_… */
          api_key?: string;
          /** Of the link that `start` prints; it is good once. */
          sign_in_token?: string;
          /** The person's, for histories; needed with `api_key`, for a link it has one. */
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
          /** Items in a page. */
          limit?: number;
          /** `next_cursor` of the page before. */
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
            /** For `cursor`; null: the last page. */
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
    /** End a session: sign out */
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
    /** Read who asks, and what they may do */
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
          /** Items in a page. */
          limit?: number;
          /** `next_cursor` of the page before. */
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
            /** For `cursor`; null: the last page. */
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
    /** Read what is used of each limit */
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
    /** This description: OpenAPI 3.1 */
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
          /** While the secret is rotated: the same with the new one. */
          'parley-signature-next'?: string;
          /** `id` of the body. */
          'parley-event-id': string;
          /** `type` of the body. */
          'parley-event-type': string;
          /** Attempt of this delivery. */
          'parley-delivery-attempt': number;
          /** Only of a test event, which somebody has sent to this endpoint alone. */
          'parley-test'?: 'true';
          /** `id` of the body (Standard Webhooks). */
          'webhook-id': string;
          /** Unix seconds of the attempt. */
          'webhook-timestamp': number;
          /** `v1,` and base64, for each live secret, with spaces between (Standard Webhooks). */
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
          /** While the secret is rotated: the same with the new one. */
          'parley-signature-next'?: string;
          /** `id` of the body. */
          'parley-event-id': string;
          /** `type` of the body. */
          'parley-event-type': string;
          /** Attempt of this delivery. */
          'parley-delivery-attempt': number;
          /** Only of a test event, which somebody has sent to this endpoint alone. */
          'parley-test'?: 'true';
          /** `id` of the body (Standard Webhooks). */
          'webhook-id': string;
          /** Unix seconds of the attempt. */
          'webhook-timestamp': number;
          /** `v1,` and base64, for each live secret, with spaces between (Standard Webhooks). */
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
          /** While the secret is rotated: the same with the new one. */
          'parley-signature-next'?: string;
          /** `id` of the body. */
          'parley-event-id': string;
          /** `type` of the body. */
          'parley-event-type': string;
          /** Attempt of this delivery. */
          'parley-delivery-attempt': number;
          /** Only of a test event, which somebody has sent to this endpoint alone. */
          'parley-test'?: 'true';
          /** `id` of the body (Standard Webhooks). */
          'webhook-id': string;
          /** Unix seconds of the attempt. */
          'webhook-timestamp': number;
          /** `v1,` and base64, for each live secret, with spaces between (Standard Webhooks). */
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
          /** While the secret is rotated: the same with the new one. */
          'parley-signature-next'?: string;
          /** `id` of the body. */
          'parley-event-id': string;
          /** `type` of the body. */
          'parley-event-type': string;
          /** Attempt of this delivery. */
          'parley-delivery-attempt': number;
          /** Only of a test event, which somebody has sent to this endpoint alone. */
          'parley-test'?: 'true';
          /** `id` of the body (Standard Webhooks). */
          'webhook-id': string;
          /** Unix seconds of the attempt. */
          'webhook-timestamp': number;
          /** `v1,` and base64, for each live secret, with spaces between (Standard Webhooks). */
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
          /** While the secret is rotated: the same with the new one. */
          'parley-signature-next'?: string;
          /** `id` of the body. */
          'parley-event-id': string;
          /** `type` of the body. */
          'parley-event-type': string;
          /** Attempt of this delivery. */
          'parley-delivery-attempt': number;
          /** Only of a test event, which somebody has sent to this endpoint alone. */
          'parley-test'?: 'true';
          /** `id` of the body (Standard Webhooks). */
          'webhook-id': string;
          /** Unix seconds of the attempt. */
          'webhook-timestamp': number;
          /** `v1,` and base64, for each live secret, with spaces between (Standard Webhooks). */
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
          /** While the secret is rotated: the same with the new one. */
          'parley-signature-next'?: string;
          /** `id` of the body. */
          'parley-event-id': string;
          /** `type` of the body. */
          'parley-event-type': string;
          /** Attempt of this delivery. */
          'parley-delivery-attempt': number;
          /** Only of a test event, which somebody has sent to this endpoint alone. */
          'parley-test'?: 'true';
          /** `id` of the body (Standard Webhooks). */
          'webhook-id': string;
          /** Unix seconds of the attempt. */
          'webhook-timestamp': number;
          /** `v1,` and base64, for each live secret, with spaces between (Standard Webhooks). */
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
          /** While the secret is rotated: the same with the new one. */
          'parley-signature-next'?: string;
          /** `id` of the body. */
          'parley-event-id': string;
          /** `type` of the body. */
          'parley-event-type': string;
          /** Attempt of this delivery. */
          'parley-delivery-attempt': number;
          /** Only of a test event, which somebody has sent to this endpoint alone. */
          'parley-test'?: 'true';
          /** `id` of the body (Standard Webhooks). */
          'webhook-id': string;
          /** Unix seconds of the attempt. */
          'webhook-timestamp': number;
          /** `v1,` and base64, for each live secret, with spaces between (Standard Webhooks). */
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
          /** While the secret is rotated: the same with the new one. */
          'parley-signature-next'?: string;
          /** `id` of the body. */
          'parley-event-id': string;
          /** `type` of the body. */
          'parley-event-type': string;
          /** Attempt of this delivery. */
          'parley-delivery-attempt': number;
          /** Only of a test event, which somebody has sent to this endpoint alone. */
          'parley-test'?: 'true';
          /** `id` of the body (Standard Webhooks). */
          'webhook-id': string;
          /** Unix seconds of the attempt. */
          'webhook-timestamp': number;
          /** `v1,` and base64, for each live secret, with spaces between (Standard Webhooks). */
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
          /** While the secret is rotated: the same with the new one. */
          'parley-signature-next'?: string;
          /** `id` of the body. */
          'parley-event-id': string;
          /** `type` of the body. */
          'parley-event-type': string;
          /** Attempt of this delivery. */
          'parley-delivery-attempt': number;
          /** Only of a test event, which somebody has sent to this endpoint alone. */
          'parley-test'?: 'true';
          /** `id` of the body (Standard Webhooks). */
          'webhook-id': string;
          /** Unix seconds of the attempt. */
          'webhook-timestamp': number;
          /** `v1,` and base64, for each live secret, with spaces between (Standard Webhooks). */
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
