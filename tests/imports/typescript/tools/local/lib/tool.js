import './helper'
