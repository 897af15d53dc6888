//! Tokens that a prefix of the issuer's gives away.

use crate::redact::rule::{Edge, Judge, Rule, rule};

/// A token: anything but a letter before it, or the escape of a line break.
macro_rules! token {
    ($id:literal, [$($keyword:literal),+], $pattern:literal $(, $judge:ident)?) => {
        rule!($id, &[$($keyword),+], concat!(r"(?:^|[^A-Za-z]|\\[nrt]|%[0-9A-Fa-f]{2})(", $pattern, ")"),
            entropy: 3.0, edge: Edge::Run $(, judge: Judge::$judge)?)
    };
}

/// A token whose keyword is a part of ordinary words: it counts only in so many bytes without a blank.
macro_rules! long {
    ($id:literal, $least:literal, [$($keyword:literal),+], $pattern:literal $(, $judge:ident)?) => {
        Rule { least: $least, ..token!($id, [$($keyword),+], $pattern $(, $judge)?) }
    };
}

/// A token of letters and digits alone: it can be in the middle of base64, where it is none.
macro_rules! bare {
    ($id:literal, [$($keyword:literal),+], $pattern:literal) => {
        rule!($id, &[$($keyword),+],
            concat!(r"(?:^|[^A-Za-z0-9+/]|[a-z]{2}/|\\[nrt]|%[0-9A-Fa-f]{2})(", $pattern, ")"),
            entropy: 3.0, edge: Edge::Run, judge: Judge::Random)
    };
}

/// A method behind a dot, of as many letters as a token has: it is made of words, numbers and capitals.
const METHOD: &str =
    r"^s\.(?:[A-Z]?[a-z]{2,}|By|To|Go|Id|Is|In|On|Of|Or|At|As|If|Do|Up|My|No|Db|Io|Os|[A-Z]{2,6}s?|v?\d{1,3})+$";

/// The rules. A pattern's last run has no upper bound: a newer form can be longer.
#[rustfmt::skip]
pub const RULES: &[Rule] = &[
    // Models.
    token!("anthropic-key", ["sk-ant-"], r"sk-ant-[a-z0-9]{2,16}-[\w-]{16,}"),
    token!("openai-key", ["sk-"], r"sk-(?:proj|svcacct|service|admin|live|test|prod|or-v1|lf|None)-[\w-]{16,}"),
    Rule { allowed: &[r"^sk-(?:ssh|ecdsa)-"], ..token!("secret-key", ["sk-"], r"sk-[\w-]{18,}", Random) },
    token!("secret-key", ["sk_"], r"sk_[a-z0-9_]{0,12}[A-Za-z0-9]{20,}", Random),
    token!("huggingface-token", ["hf_"], r"hf_[A-Za-z0-9]{30,}"),
    token!("groq-key", ["gsk_"], r"gsk_[A-Za-z0-9]{30,}"),
    token!("replicate-token", ["r8_"], r"r8_[A-Za-z0-9]{30,}"),
    token!("perplexity-key", ["pplx-"], r"pplx-[A-Za-z0-9]{40,}"),
    token!("xai-key", ["xai-"], r"xai-[\w-]{40,}"),
    token!("nvidia-key", ["nvapi-"], r"nvapi-[\w-]{40,}"),
    token!("langsmith-key", ["lsv2_"], r"lsv2_(?:pt|sk)_[a-f0-9]{32}_[a-f0-9]{8,}"),
    token!("pinecone-key", ["pcsk_"], r"pcsk_\w{40,}"),
    token!("cerebras-key", ["csk-"], r"csk-[a-z0-9]{40,}"),
    token!("tavily-key", ["tvly-"], r"tvly-[\w-]{20,}", Random),
    token!("firecrawl-key", ["fc-"], r"fc-[a-f0-9]{32,}"),
    token!("jina-key", ["jina_"], r"jina_[\w-]{40,}"),
    token!("apify-token", ["apify_"], r"apify_(?:api|proxy)_[A-Za-z0-9]{30,}"),
    token!("fireworks-key", ["fw_"], r"fw_[A-Za-z0-9]{20,}", Random),
    token!("together-key", ["tgp_v1_"], r"tgp_v1_[\w-]{30,}"),
    token!("voyage-key", ["pa-"], r"pa-[\w-]{40,}", Random),
    token!("elevenlabs-key", ["sk_"], r"sk_[a-f0-9]{40,}"),
    token!("wandb-key", ["wandb_v1_"], r"wandb_v1_[\w-]{30,}"),
    token!("cursor-key", ["key_", "crsr_"], r"(?:key_[a-f0-9]{64}|crsr_[a-f0-9]{40,})"),
    token!("snyk-token", ["snyk_"], r"snyk_[a-z]{3}\.[a-f0-9]{8}\.[\w-]{30,}"),
    token!("segment-token", ["sgp_"], r"sgp_[A-Za-z0-9]{40,}"),
    token!("e2b-key", ["e2b_"], r"e2b_[a-f0-9]{32,}"),
    bare!("brave-key", ["bsa"], r"BSA[\w-]{27,32}"),
    token!("logfire-token", ["pylf_"], r"pylf_v\d_[a-z]{2}_[A-Za-z0-9]{30,}"),
    // Clouds.
    token!("google-api-key", ["aq."], r"AQ\.[\w-]{40,}", Random),
    token!("google-fcm-key", [":apa91b"], r"AAAA[\w-]{7}:APA91b[\w-]{60,}"),
    token!("heroku-key", ["hrku-"], r"HRKU-[\w-]{30,}"),
    token!("astra-token", ["astracs:"], r"AstraCS:[\w-]{16,}:[a-f0-9]{50,}"),
    token!("inngest-key", ["signkey-"], r"signkey-(?:[a-z]{2,10}-)?[a-f0-9]{32,}"),
    bare!("yandex-key", ["aqvn"], r"AQVN[\w-]{34,}"),
    bare!("twitter-bearer-token", ["aaaaaaaaaaaaaaaaaaaa"], r"A{20,30}[B-Za-z0-9%][A-Za-z0-9+/=%]{59,}"),
    token!("google-oauth-token", ["ya29.", "4/0"], r"(?:ya29\.[\w.-]{20,}|4/0A[\w-]{40,})"),
    token!("google-refresh-token", ["1//0"], r"1//0[\w-]{30,}"),
    token!("google-client-secret", ["gocspx-"], r"GOCSPX-[\w-]{20,}"),
    token!("google-api-key", ["aiza"], r"AIza[\w-]{30,}"),
    token!("aws-session-token", ["fwogzxivyxdz", "iqojb3jpz2lu"], r"(?:FwoGZXIvYXdz|IQoJb3JpZ2lu)[A-Za-z0-9+/=_-]{60,}"),
    token!("aws-mws-key", ["amzn"], r"amzn(?:\.mws\.[a-f0-9-]{30,}|1\.oa2-cs\.v1\.[a-f0-9]{40,})"),
    token!("azure-key", ["jqqj99"], r"[A-Za-z0-9]{52}JQQJ99[A-Za-z0-9]{26,}"),
    bare!("azure-key", ["acdb", "aiot", "+ast", "azfu", "+aeh", "+asb", "+arm", "aazc"], r"[A-Za-z0-9+/_-]{32,}(?:ACDb|AIoT|\+ASt|AzFu|\+AEh|\+ASb|\+ARm|AAzC)[A-Za-z0-9+/_-]{4,6}(?:[AQgw]==|[A-Za-z0-9+/_-]=|==)"),
    token!("azure-devops-token", ["azdo"], r"[A-Za-z0-9]{60,}AZDO[A-Za-z0-9]{4,}"),
    token!("digitalocean-token", ["doo_v1_", "dop_v1_", "dor_v1_"], r"do[opr]_v1_[a-f0-9]{40,}"),
    token!("cloudflare-token", ["eyjhijoi", "cfk_", "cfut_", "cfat_", "cfoat_"], r"(?:eyJhIjoi[\w+/=-]{60,}|cf(?:k|ut|at|oat)_[\w-]{36,})"),
    token!("alibaba-key", ["ltai"], r"LTAI[A-Za-z0-9]{16,}"),
    token!("tencent-key", ["akid"], r"AKID[A-Za-z0-9]{28,}"),
    token!("flyio-token", ["flyv1", "fm2_", "fm1"], r"fm[12][ar]?_[A-Za-z0-9+/]{60,}={0,3}"),
    token!("render-key", ["rnd_"], r"rnd_[A-Za-z0-9]{24,}", Random),
    token!("vercel-token", ["vcp_", "vci_", "vca_", "vcr_", "vck_", "vercel_blob_rw_"], r"(?:vc[piark]_[\w-]{24,}|vercel_blob_rw_\w{20,})", Random),
    token!("netlify-token", ["nfp_", "nfc_", "nfo_", "nfu_", "nfb_"], r"nf[pcoub]_[A-Za-z0-9]{36,}"),
    token!("supabase-token", ["sbp_", "sb_secret_"], r"(?:sbp_(?:[a-z0-9]{2,6}_)?[a-f0-9]{32,}|sb_secret_[\w-]{20,})"),
    token!("neon-key", ["napi_", "npg_"], r"(?:napi_[a-z0-9]{40,}|npg_[A-Za-z0-9]{12,})"),
    token!("planetscale-token", ["pscale_"], r"pscale_(?:tkn|oauth|pw)_[\w=-]{30,}"),
    token!("aiven-password", ["avns_"], r"AVNS_[\w-]{12,}"),
    token!("mongodb-key", ["mdb_sa_sk_"], r"mdb_sa_sk_[\w-]{30,}"),
    token!("databricks-token", ["dapi", "dkea", "dose"], r"d(?:api|kea|ose)[a-f0-9]{32,}(?:-\d)?"),
    token!("tailscale-key", ["tskey-"], r"tskey-[a-z]{3,10}-[\w-]{16,}"),
    token!("fastly-token", ["fastly"], r"fastly_[\w-]{30,}"),
    // Code and packages.
    token!("npm-token", ["npm_"], r"npm_[A-Za-z0-9]{30,}"),
    token!("pypi-token", ["pypi-"], r"pypi-[\w-]{80,}"),
    token!("rubygems-key", ["rubygems_"], r"rubygems_[a-f0-9]{40,}"),
    Rule { least: 35, ..bare!("crates-token", ["cio"], r"cio[A-Za-z0-9]{32,40}") },
    token!("nuget-key", ["oy2"], r"oy2[a-z0-9]{43,}", Random),
    token!("docker-token", ["dckr_"], r"dckr_(?:pat|oat)_[\w-]{20,}"),
    token!("deno-token", ["ddp_", "ddo_"], r"dd[po]_[A-Za-z0-9]{30,}"),
    long!("github-token", 34, ["gh"], r"gh[pousr]_[A-Za-z0-9]{30,}"),
    long!("gitlab-token", 25, ["gl"], r"gl(?:pat|ptt|dt|rt|rtr|cbt|imt|ft|oas|soat|agent|ffct)-[\w-]{20,}(?:\.[0-9a-z]{2}\.?[0-9a-z]{7,})?", Random),
    token!("bitbucket-password", ["atbb", "atctt3"], r"(?:ATBB[A-Za-z0-9]{24,}|ATCTT3[\w=-]{60,})"),
    token!("atlassian-token", ["atatt3"], r"ATATT3[\w=-]{60,}"),
    token!("sonar-token", ["squ_", "sqp_", "sqa_"], r"sq[pua]_[a-f0-9]{36,}"),
    token!("circleci-token", ["ccipat_", "cciprj_"], r"CCIP(?:AT|RJ)_[A-Za-z0-9]{16,}_[a-f0-9]{36,}"),
    token!("buildkite-token", ["bkua_", "bkat_", "bkct_"], r"bk(?:ua|at|ct)_[A-Za-z0-9]{36,}"),
    token!("jetbrains-token", ["perm"], r"perm[:-][A-Za-z0-9+/=_-]{6,}\.[A-Za-z0-9+/=_-]{4,}\.[A-Za-z0-9+/=_-]{16,}"),
    token!("sourcegraph-access-token", ["sgp_", "slk_"], r"(?:sgp_(?:(?:[a-fA-F0-9]{16}|local)_)?[a-fA-F0-9]{40,}|slk_[a-f0-9]{60,})"),
    token!("terraform-token", ["atlasv1"], r"[A-Za-z0-9]{12,16}\.atlasv1\.[\w=-]{50,}"),
    token!("vault-token", ["hvs.", "hvb.", "hvr."], r"hv[sbr]\.[\w-]{24,}"),
    Rule { allowed: &[METHOD], ..long!("vault-token", 26, ["s."], r"s\.[A-Za-z0-9]{24}(?:\.[A-Za-z0-9]{5})?", Random) },
    token!("doppler-token", ["dp."], r"dp\.(?:pt|ct|sa|scim|audit|st(?:\.[a-z0-9_-]{2,35})?)\.[A-Za-z0-9]{40,}"),
    long!("infisical-token", 84, ["st."], r"st\.[a-f0-9-]{20,36}\.[a-f0-9]{30,}\.[a-f0-9]{30,}"),
    token!("1password-token", ["ops_"], r"ops_eyJ[\w+/=-]{60,}"),
    token!("pulumi-token", ["pul-"], r"pul-[a-f0-9]{36,}"),
    token!("postman-key", ["pmak-"], r"PMAK-[a-fA-F0-9]{20,}-[a-fA-F0-9]{30,}"),
    token!("launchdarkly-key", ["sdk-", "api-", "mob-"], r"(?:sdk|api|mob)-[a-f0-9]{8}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{12,}"),
    token!("rancher-token", ["token-"], r"token-[a-z0-9]{5}:[a-z0-9]{50,}"),
    // Money.
    token!("stripe-key", ["k_live", "k_test", "k_prod", "whsec_"], r"(?:[srp]k_(?:live|test|prod)_[\w-]{10,}|whsec_[A-Za-z0-9+/=_-]{20,})"),
    token!("paypal-braintree-token", ["access_token$"], r"access_token\$(?:production|sandbox)\$[a-z0-9]{12,}\$[a-f0-9]{28,}"),
    token!("square-token", ["sq0"], r"sq0(?:atp|csp|idp)-[\w-]{20,}"),
    bare!("square-token", ["eaaa"], r"EAAA[\w-]{50,}"),
    token!("shopify-token", ["shp"], r"shp(?:at|ca|pa|ss|ua|tka)_[a-fA-F0-9]{30,}"),
    token!("plaid-token", ["access-"], r"access-(?:sandbox|development|production)-[a-f0-9]{8}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{12,}"),
    token!("flutterwave-key", ["flwseck"], r"FLWSECK(?:_TEST)?-[a-z0-9]{12,}(?:-X)?"),
    token!("razorpay-key", ["rzp_"], r"rzp_(?:live|test)_[A-Za-z0-9]{14,}"),
    // Of any issuer: `acme_live_…`.
    long!("service-key", 25, ["live_", "test_", "prod_", "live-", "test-", "prod-", "sandbox_", "staging_", "secret_"], r"(?:(?:live|test|prod)[_-]|(?:sandbox|staging|secret)_)[A-Za-z0-9]{20,}", Random),
    token!("service-key", ["thog-", "bb_pr_", "bb_ma_", "nriq-", "nrjs-", "nrbr-", "-nrma", "pub-c-", "sub-c-", "sec-c-", "rh-api-", "3mvg9", "5aep861", "+acr", "pdus+", "cflt", "prtapi_", "pk-lf-", "esecret_", "unkey_", "endr+", "u-s4t2", "pdl_", "dnkey-", "bbdc-"], r"(?:thog-(?:key|secret)-[a-f0-9]{16,}|bb_(?:pr|ma)_[a-f0-9]{28,}|NR(?:IQ|JS|BR)-[\w-]{19,}|AA[a-f0-9]{38,}-NRMA|(?:pub|sub|sec)-c-[A-Za-z0-9+/-]{32,}|rh-api-[a-f0-9-]{36,}|(?:3MVG9|5Aep861)[\w.+/=]{60,}|[A-Za-z0-9+/]{40,44}\+ACR[A-Za-z0-9]{6,}|pdus\+_[\w-]{20,}|cflt[A-Za-z0-9+/]{50,}|prtapi_[a-f0-9]{32,}|pk-lf-[a-f0-9-]{36,}|(?:esecret|unkey)_[A-Za-z0-9]{20,}|endr\+[A-Za-z0-9-]{16,}|u-s4t2(?:ud|af)-[a-f0-9]{60,}|pdl_[a-z]{4,8}_\w{40,}|dnkey-[\w=-]{26,}|BBDC-[A-Za-z0-9+/@_-]{40,})", Random),
    long!("service-key", 36, ["web_", "api_key", "pk_", "pk.", "==:", "1000.", "na1.", "rpa_", "vf."], r"(?:web_[a-z0-9]{32,}|API_KEY[A-Z0-9]{32,}|pk_(?:[A-Za-z0-9]{6}_)?[a-f0-9]{34,}|pk\.[a-f0-9]{32,}|[A-Za-z0-9+/]{22}==:[A-Za-z0-9]{32,}|1000\.[a-f0-9]{32}\.[a-f0-9]{32,}|na1\.[A-Za-z0-9+/]{60,}|rpa_[A-Z0-9]{36,}|VF\.(?:(?:DM|WS)\.)?[a-fA-F0-9]{24}\.[A-Za-z0-9]{16,})", Random),
    long!("bitwarden-token", 90, ["=="], r"0\.[a-f0-9-]{36}\.\w{28,}:[A-Za-z0-9+/]{20,}={1,2}"),
    long!("airtable-token", 90, [".v1."], r"[A-Za-z0-9]{8,}\.v1\.[\w-]{20,}\.[a-f0-9]{30,}"),
    long!("azure-refresh-token", 200, ["0.a", "1.a"], r"[01]\.A[\w-]{50,}(?:\.\d)?\.Ag[\w-]{200,}"),
    token!("adyen-key", ["aqe"], r"AQE[A-Za-z0-9+/=]{20,}-[A-Za-z0-9+/=]{20,}-[!-~]{4,}"),
    // Mail and messages.
    token!("sendgrid-key", ["sg."], r"SG\.[\w-]{16,32}\.[\w-]{16,}"),
    token!("brevo-key", ["xkeysib-", "xsmtpsib-"], r"x(?:key|smtp)sib-[a-f0-9]{60,}-[A-Za-z0-9]{12,}"),
    token!("mailgun-key", ["key-"], r"key-[a-f0-9]{32,}"),
    long!("mailgun-key", 50, ["-"], r"[a-f0-9]{32}-[a-f0-9]{8}-[a-f0-9]{8}"),
    token!("mandrill-key", ["md-"], r"md-[\w-]{20,24}", Random),
    token!("mailchimp-key", ["-us"], r"[a-f0-9]{32}-us\d{1,2}"),
    token!("resend-key", ["re_"], r"re_[A-Za-z0-9]{6,12}_[A-Za-z0-9]{16,}", Random),
    long!("twilio-key", 34, ["sk"], r"SK[a-f0-9]{32,}"),
    token!("slack-token", ["xox", "xapp-", "xwfp-"], r"(?:xox[a-z](?:\.xox[a-z])?|xapp|xwfp)-(?:[a-z]{0,12}-)?[A-Za-z0-9%+/=_-]{12,}"),
    long!("telegram-token", 40, ["0:a", "1:a", "2:a", "3:a", "4:a", "5:a", "6:a", "7:a", "8:a", "9:a"], r"(?:bot)?\d{6,12}:A[\w-]{31,}"),
    long!("telegram-token", 40, ["bot"], r"bot\d{6,12}:[\w-]{30,}"),
    long!("discord-token", 58, ["mt", "md", "mj", "mz", "nt", "nd", "nj", "nz", "ot", "od"], r"[MNO][TDjz][\w-]{21,26}\.[\w-]{6}\.[\w-]{27,}"),
    bare!("facebook-token", ["eaa", "igq"], r"(?:EAA[A-Za-z0-9]{60,}|IGQ[\w-]{60,})"),
    long!("facebook-token", 43, ["|"], r"\d{15,16}\|[\w-]{27,}"),
    token!("dropbox-token", ["sl."], r"sl\.(?:u\.)?[\w-]{60,}"),
    token!("twitch-token", ["oauth:"], r"oauth:[a-z0-9]{30,}"),
    token!("line-token", ["wpl_ap1."], r"WPL_AP1\.[\w.=+/-]{16,}"),
    // Work.
    long!("airtable-personal-access-token", 82, ["pat"], r"pat[A-Za-z0-9]{14}\.[a-f0-9]{64,}"),
    token!("hubspot-token", ["pat-"], r"pat-[a-z]{2}\d-[a-f0-9]{8}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{12,}"),
    token!("linear-token", ["lin_"], r"lin_(?:api|oauth|wh)_[A-Za-z0-9]{30,}"),
    token!("notion-token", ["ntn_", "secret_"], r"(?:ntn_[A-Za-z0-9]{40,}|secret_[A-Za-z0-9]{40,})"),
    token!("figma-token", ["figd_", "figu_", "figo_"], r"fig[duo]h?_[\w-]{36,}"),
    long!("asana-token", 45, ["0/", "1/", "2/"], r"[012]/\d{10,16}(?:/\d{10,16})?:[a-f0-9]{32,}"),
    token!("trello-token", ["atta"], r"ATTA[A-Za-z0-9]{60,}"),
    token!("clickup-token", ["pk_"], r"pk_\d{5,10}_[A-Z0-9]{30,}"),
    token!("contentful-token", ["cfpat-"], r"CFPAT-[\w-]{40,}"),
    token!("mapbox-token", ["sk.eyj", "pk.eyj"], r"[sp]k\.eyJ[\w-]{20,}\.[\w-]{10,}"),
    token!("salesforce-token", ["00d"], r"00D[A-Za-z0-9]{12,15}![\w.]{50,}"),
    token!("typeform-token", ["tfp_"], r"tfp_[\w-]{30,}"),
    token!("posthog-key", ["phx_", "phs_"], r"ph[xs]_[A-Za-z0-9]{36,}"),
    // Seeing what runs.
    token!("grafana-token", ["glsa_", "glc_"], r"(?:glsa_[A-Za-z0-9]{30,}_[A-Fa-f0-9]{8,}|glc_[A-Za-z0-9+/]{30,}={0,3})"),
    token!("newrelic-key", ["nrak-", "nrii-", "nral", "nrra-"], r"(?:NR(?:AK|II|RA)-[\w-]{24,}|[a-z0-9]{6}[a-f0-9]{26,34}(?:FFFF)?NRAL)"),
    token!("honeycomb-key", ["hca", "hcb", "hcx"], r"hc[abx][iml][kc]_[a-z0-9]{50,}"),
    token!("dynatrace-token", ["dt0"], r"dt0[a-z]\d{2}\.[A-Z0-9]{8,24}\.[A-Z0-9]{60,}"),
    token!("sentry-token", ["sntry"], r"sntry[su]_[\w+/=]{40,}"),
    token!("axiom-token", ["xaat-", "xapt-"], r"xa[ap]t-[a-f0-9-]{30,}"),
    // More of the same kinds.
    token!("mercadopago-token", ["app_usr-"], r"APP_USR-\d{12,}-\d{6}-[a-f0-9]{32}-\d{5,}"),
    token!("polar-token", ["polar_"], r"polar_(?:oat|pat|at|rt|whs)_[\w-]{20,}"),
    token!("packagist-token", ["packagist_"], r"packagist_[a-z]{3}_[a-f0-9]{60,}"),
    bare!("digitalocean-key", ["do00"], r"DO00[A-Z0-9]{16,}"),
    token!("tinybird-token", ["p.eyj"], r"p\.eyJ[\w-]{20,}\.[\w-]{20,}"),
    token!("adafruit-key", ["aio_"], r"aio_[A-Za-z0-9]{26,}"),
    token!("daytona-key", ["dtn_"], r"dtn_[a-f0-9]{50,}"),
    token!("convex-key", ["prod:", "preview:", "dev:"], r"(?:prod|preview|dev):[\w:-]{4,}\|[A-Za-z0-9+/=]{40,}"),
    long!("modal-token", 25, ["ak-", "as-"], r"a[ks]-[A-Za-z0-9]{22}", Random),
    token!("prefect-key", ["pnu_", "pnb_"], r"pn[ub]_[A-Za-z0-9]{30,}"),
    token!("trigger-key", ["tr_prod_", "tr_dev_", "tr_stg_", "tr_preview_", "tr_pat_"], r"tr_(?:prod|dev|stg|preview|pat)_[A-Za-z0-9]{20,}"),
    token!("yandex-token", ["y0_", "y1_", "y2_", "y3_", "t1."], r"(?:y[0-3]_[\w-]{50,}|t1\.[\w-]{10,}={0,2}\.[\w-]{80,}={0,2})", Random),
    token!("dbt-token", ["dbtu_", "dbtc_", "dbts_"], r"dbt[ucs]_[\w-]{30,}"),
    token!("elastic-key", ["essu_"], r"essu_[\w+/-]{30,}={0,2}"),
    token!("rootly-key", ["rootly_"], r"rootly_[a-f0-9]{40,}"),
    bare!("intercom-token", ["dg9ro"], r"dG9rO[A-Za-z0-9+/=]{50,}"),
    token!("openai-session", ["sess-"], r"sess-[A-Za-z0-9]{40,}", Random),
    token!("k3s-token", ["k10"], r"K10[a-f0-9]{64}::[\w.:-]{16,}"),
    bare!("wallet-key", ["xprv", "yprv", "zprv", "tprv"], r"[xyzt]prv[A-Za-z0-9]{90,}"),
    // Things of no issuer.
    token!("password-hash", ["$2a$", "$2b$", "$2x$", "$2y$", "$1$", "$5$", "$6$", "$y$", "$apr1$", "$argon2"], r"\$(?:2[abxy]\$\d\d\$[./A-Za-z0-9]{53,}|(?:apr1|1)\$[./A-Za-z0-9]{1,8}\$[./A-Za-z0-9]{22,}|[56]\$(?:rounds=\d{1,9}\$)?[./A-Za-z0-9]{1,16}\$[./A-Za-z0-9]{43,}|y\$[./A-Za-z0-9]{1,10}\$[./A-Za-z0-9]{1,}\$[./A-Za-z0-9]{43,}|argon2id?\$v=\d\d\$m=\d{1,9},t=\d{1,4},p=\d{1,4}\$[A-Za-z0-9+/]{11,}\$[A-Za-z0-9+/]{22,})"),
    token!("age-key", ["age-secret-key-"], r"AGE-SECRET-KEY-(?:PQ-)?1[A-Z0-9]{50,}"),
    token!("jwt-base64", ["zxlk"], r"ZXlK[A-Za-z0-9+/=_-]{60,}"),
    token!("private-key", ["ls0tls1crudjti"], r"LS0tLS1CRUdJTi(?:BSU0EgUFJJVkFUR|BQUklWQVRF|BFQyBQUklWQVRF|BPUEVOU1NIIFBSSVZBVEUg|BFTkNSWVBURUQgUFJJVkFUR|BEU0EgUFJJVkFUR)[A-Za-z0-9+/=]{40,}"),
];
